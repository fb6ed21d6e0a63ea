import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { itLong } from '../../../support/required-service.ts';
import { fileOf, pngOf, zipOf } from '../../../support/samples.ts';
import type { WebAnswer } from '../../../support/web-client.ts';
import { type DashboardService, type Person, startDashboardService } from './dashboard-service.ts';

describe('a product that waits for approval', () => {
  let service: DashboardService;
  let root: Person;
  let ada: Person;
  beforeEach(async () => {
    service = await startDashboardService({ REVIEW: 'every' });
    root = await service.signedInUser({ role: 'admin' });
    ada = await service.signedInUser();
  });
  afterEach(() => service.close());

  /** Makes a product by the seller's form, and returns the path of its page for the seller. */
  async function made(person: Person, mode = 'live'): Promise<string> {
    const answer = await person.browser.fill(`/selling/${mode}/products/new`, {
      ...{ title: 'Swap', tagline: 'Swap anything', module: 'dapp', price: '5' },
      description: 'A decentralised exchange.',
      product_zip: fileOf(await zipOf(), 'product.zip'),
      thumbnail: fileOf(pngOf(), 'thumbnail.png'),
    });
    return answer.location ?? '';
  }
  const lettersOf = async ({ email }: Person) =>
    (await service.letters(email)).filter(({ kind }) => kind === 'product-waits');
  const noticesOf = async ({ browser }: Person) =>
    (await browser.get('/account/notifications')).text.split('“Swap” waits for approval').length - 1;
  const countOf = async ({ browser }: Person) => /(\d+) to review/.exec((await browser.get('/admin/users')).text)?.[1];
  const buttons = (page: WebAnswer) => page.forms.map(({ submit }) => submit);

  itLong('is told to administrators by mail, notification and a number beside "Moderation"', async () => {
    const path = await made(ada);
    const [letter, ...others] = await lettersOf(root);
    expect([letter?.text.includes('“Swap” waits for your approval'), others]).to.deep.equal([true, []]);
    const id = path.split('/').at(-1);
    expect(letter?.text).to.include(`/admin/products/${id}`);
    expect([await noticesOf(root), await countOf(root)]).to.deep.equal([1, '1']);
    expect([await lettersOf(ada), await noticesOf(ada)]).to.deep.equal([[], 0]);
    await root.browser.submit(await root.browser.get(`/admin/products/${id}`), {}, 'Approve');
    expect(await countOf(root)).to.equal(undefined);
  });

  itLong(
    'is told once each time that it begins to wait, also after a new file and after it was submitted again',
    async () => {
      const path = await made(ada);
      const id = path.split('/').at(-1);
      const newThumbnail = () => ada.browser.fill(`${path}/thumbnail`, { thumbnail: fileOf(pngOf(), 'thumbnail.png') });
      await newThumbnail();
      expect(await lettersOf(root), 'waits already').to.have.lengthOf(1);
      await root.browser.submit(await root.browser.get(`/admin/products/${id}`), {}, 'Approve');
      await newThumbnail();
      expect(await lettersOf(root), 'new thumbnail').to.have.lengthOf(2);
      await root.browser.fill(`/admin/products/${id}/reject`, { reason: 'Blurred' });
      await ada.browser.post(`${path}/resubmit`, {});
      expect(await lettersOf(root), 'submitted again').to.have.lengthOf(3);
      await root.browser.submit(await root.browser.get(`/admin/products/${id}`), {}, 'Approve');
      await ada.browser.fill(`${path}/versions/new`, { product_zip: fileOf(await zipOf(), 'p.zip') });
      expect(await lettersOf(root), 'new version').to.have.lengthOf(4);
    },
  );

  itLong('is told without a mail while others wait already, so that nobody can cause very many', async () => {
    for (let n = 0; n < 3; n++) await made(ada);
    expect(await lettersOf(root)).to.have.lengthOf(1);
    expect([await noticesOf(root), await countOf(root)]).to.deep.equal([3, '3']);
  });

  itLong('is not told if it is a test product, nor to the administrator who submits it', async () => {
    await made(ada, 'test');
    expect([await lettersOf(root), await countOf(root)]).to.deep.equal([[], undefined]);
    await made(root);
    expect([await lettersOf(root), await noticesOf(root), await countOf(root)]).to.deep.equal([[], 0, '1']);
  });

  itLong('is approved on its own page by the only administrator, and only as it was seen', async () => {
    const path = await made(root);
    const page = await root.browser.get(path);
    expect(page.text).to.include('You are the only administrator');
    service.clock.advance(1_000);
    await root.browser.fill(`${path}/thumbnail`, { thumbnail: fileOf(pngOf(), 'thumbnail.png') });
    expect((await root.browser.submit(page, {}, 'Approve and publish')).status).to.equal(422);
    const answer = await root.browser.submit(await root.browser.get(path), {}, 'Approve and publish');
    expect((await root.browser.follow(answer)).notice).to.include('Buyers see it on the marketplace now');
    expect((await ada.browser.get('/marketplace')).text).to.include('Swap');
  });

  itLong(
    'has no button of approval on its own page for a seller, or while there is another administrator',
    async () => {
      const path = await made(ada);
      expect(buttons(await ada.browser.get(path))).to.not.include('Approve and publish');
      expect((await ada.browser.post(`${path}/approve`, {})).status).to.equal(403);
      const own = await made(root);
      await service.signedInUser({ role: 'admin' });
      expect(buttons(await root.browser.get(own))).to.not.include('Approve and publish');
    },
  );

  itLong('does not wait if its seller is trusted, until a moderator has decided against it', async () => {
    const { id } = (await ada.me()).login;
    await root.browser.fill(`/admin/users/${id}/selling`, { selling: 'trusted', reason: 'Known for years' });
    const path = await made(ada);
    const page = await ada.browser.get(path);
    expect(page.text).to.include('Published').and.not.include('Waits for approval');
    expect([await lettersOf(root), await countOf(root)]).to.deep.equal([[], undefined]);
    const again = () => ada.browser.fill(`${path}/versions/new`, { product_zip: fileOf(zip, 'p.zip') });
    const zip = await zipOf();
    await again();
    expect((await ada.browser.get(path)).text, 'a new file').to.include('Published');
    await service.products.change(String(path.split('/').at(-1)), 'unlist', operator);
    await ada.browser.post(`${path}/relist`, {});
    expect((await ada.browser.get(path)).text, 'after it was taken down').to.include('Waits for approval');
    await again();
    expect((await ada.browser.get(path)).text, 'and a new file').to.include('Waits for approval');
  });
});
