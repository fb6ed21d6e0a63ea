import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { fileOf, pngOf, zipOf } from '../../../support/samples.ts';
import type { Fields, WebAnswer } from '../../../support/web-client.ts';
import { type DashboardService, type Person, startDashboardService } from './dashboard-service.ts';

const statusOf = ({ status, location }: WebAnswer) => [status, location];
const queue = '/admin/moderation';

describe('the pages of moderators', () => {
  let service: DashboardService;
  let root: Person;
  let ada: Person;
  before(async () => {
    service = await startDashboardService();
  });
  beforeEach(async () => {
    root = await service.signedInUser({ role: 'admin' });
    ada = await service.signedInUser();
  });
  after(() => service.close());

  /** Makes a product by the seller's form, and returns the path of its page for moderators. */
  async function made(fields: Fields = {}, mode = 'live', person = ada): Promise<string> {
    const answer = await person.browser.fill(`/selling/${mode}/products/new`, {
      ...{ title: 'Swap', tagline: 'Swap anything', module: 'dapp', price: '5' },
      description: '# Fast\n\nA decentralised exchange.',
      product_zip: fileOf(await zipOf(), 'product.zip'),
      thumbnail: fileOf(pngOf(), 'thumbnail.png'),
      ...fields,
    });
    return `/admin/products/${(answer.location ?? '').split('/').at(-1)}`;
  }
  const idIn = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  const find = async (path: string) => good(await service.products.find(idIn(path), operator));
  /** The titles in a list, in their order. */
  const listed = async (path: string, ...titles: string[]) =>
    (await root.browser.get(path)).links.map(({ text }) => text).filter((text) => titles.includes(text));

  itLong(
    'are for administrators: 403 for others, 303 for people who are not signed in, 404 for unknown products',
    async () => {
      const path = await made();
      const gets = [queue, '/admin/products', path, `${path}/reject`, `${path}/download`];
      for (const one of gets) {
        expect((await ada.browser.get(one)).status, one).to.equal(403);
        expect(statusOf(await service.browser().get(one))).to.deep.equal([
          303,
          `/sign-in?next=${encodeURIComponent(one)}`,
        ]);
      }
      for (const end of ['approve', 'reject']) {
        expect((await ada.browser.post(`${path}/${end}`, { reason: 'No' })).status, end).to.equal(403);
        expect((await service.browser().post(`${path}/${end}`, { reason: 'No' })).status, end).to.equal(303);
        const other = { 'Sec-Fetch-Site': 'cross-site' };
        expect((await root.browser.post(`${path}/${end}`, { reason: 'No' }, other)).status, end).to.equal(403);
        expect((await root.browser.post(`/admin/products/999999/${end}`, { reason: 'No' })).status, end).to.equal(404);
      }
      for (const end of ['', '/reject', '/download']) {
        expect((await root.browser.get(`/admin/products/999999${end}`)).status, end).to.equal(404);
      }
      expect((await find(path)).status).to.equal('pending');
    },
  );

  itLong('list what waits, first come first served, live and test apart', async () => {
    const titles = ['Queue one', 'Queue two', 'Queue test'];
    await made({ title: 'Queue one' });
    const two = await made({ title: 'Queue two' });
    await made({ title: 'Queue test' }, 'test');
    expect(await listed(queue, ...titles)).to.deep.equal(['Queue one', 'Queue two']);
    expect(await listed(`${queue}?mode=test`, ...titles)).to.deep.equal(['Queue test']);
    good(await service.products.change(idIn(two), 'approve', operator));
    expect(await listed(queue, ...titles)).to.deep.equal(['Queue one']);
    expect((await root.browser.get(`${queue}?page=999`)).status).to.equal(200);
  });

  itLong('list the products of all sellers by title, owner, state and mode', async () => {
    const titles = ['All alpha', 'All beta', 'All gamma'];
    await made({ title: 'All alpha' });
    const beta = await made({ title: 'All beta' }, 'live', await service.signedInUser({ email: 'bob@example.com' }));
    await made({ title: 'All gamma' }, 'test');
    good(await service.products.change(idIn(beta), 'approve', operator));
    const list = (query: string) => listed(`/admin/products?${query}`, ...titles);
    expect(await list('q=all')).to.deep.equal(['All alpha', 'All beta']);
    expect(await list('q=all&mode=test')).to.deep.equal(['All gamma']);
    expect(await list('q=all&state=published')).to.deep.equal(['All beta']);
    expect(await list('owner=Bob@example.com')).to.deep.equal(['All beta']);
    const nobody = await root.browser.get('/admin/products?owner=nobody@example.com');
    expect(nobody.text).to.include('Nobody has this e-mail address');
    expect((await root.browser.get('/admin/products?after=wrong')).status).to.equal(404);
  });

  itLong(
    'show a product as buyers see it, the contents of its zip, its seller and what else the seller has',
    async () => {
      await made({ title: 'Older product' });
      const zip = await zipOf([
        { name: 'src/' },
        { name: 'src/a\u202etxt.sol', content: 'x'.repeat(2048) },
        { name: 'b' },
      ]);
      const path = await made({ title: 'Newer product', product_zip: fileOf(zip, 'p.zip') });
      const page = await root.browser.get(path);
      expect([page.status, page.heading]).to.deep.equal([200, 'Newer product']);
      expect(page.html).to.include('<h4 dir="auto">Fast</h4>').and.to.include('src/a\ufffdtxt.sol');
      expect(page.text)
        .to.include('2 files, 2 KiB unpacked')
        .and.to.include(ada.email)
        .and.to.include('1 other product');
      expect(page.links.map(({ text }) => text)).to.include('Older product');
      const download = await root.browser.get(`${path}/download`);
      const bytes = await (await fetch(download.headers.get('Location') ?? '')).arrayBuffer();
      expect([download.status, Buffer.from(bytes).equals(zip)]).to.deep.equal([302, true]);
    },
  );

  itLong('list at most 500 files of a zip, and say so', async () => {
    const many = await zipOf(Array.from({ length: 501 }, (_, n) => ({ name: `${n}.txt` })));
    const page = await root.browser.get(await made({ product_zip: fileOf(many, 'p.zip') }));
    expect(page.text).to.include('501 files').and.to.include('Only the first 500 files are listed');
    expect(page.elements('bdi')).to.have.lengthOf(500);
  });

  it('show a product without owner, zip and thumbnail', async () => {
    const { id } = good(await service.products.add({ title: 'House', ownerId: null }, operator));
    const page = await root.browser.get(`/admin/products/${id}`);
    expect([page.status, page.text.includes('This product has no zip.')]).to.deep.equal([200, true]);
    expect((await root.browser.get(`/admin/products/${id}/download`)).status).to.equal(404);
  });

  itLong(
    'approve a product, tell the seller, and lead back to the queue, to its page and to the next one',
    async () => {
      const path = await made();
      const other = await made({ title: 'The next one' });
      const answer = await root.browser.submit(await root.browser.get(path), {}, 'Approve');
      expect(statusOf(answer)).to.deep.equal([303, `${queue}?decided=${idIn(path)}`]);
      const back = await root.browser.follow(answer);
      expect(back.notice).to.equal('The product is approved. The seller gets a notification.');
      const { slug } = await find(path);
      const ways = (page: WebAnswer) =>
        ['Decide about the next one', 'See the public page'].map(
          (text) => page.links.find((link) => link.text === text)?.href,
        );
      const [next, shown] = ways(back);
      expect(next).to.match(/admin\/products\/\d+$/);
      expect(shown).to.equal(`${service.url}/marketplace/${slug}`);
      expect(ways(await root.browser.get(`${queue}?decided=${idIn(other)}`))[1]).to.equal(undefined);
      expect(ways(await root.browser.get(`${queue}?decided=gone`))).to.deep.equal([undefined, undefined]);
      expect((await find(path)).status).to.equal('published');
      expect((await service.letters(ada.email)).map(({ kind }) => kind)).to.include('product-approved');
      const again = await root.browser.post(`${path}/approve`, {});
      expect([again.status, again.text.includes('somebody else has already decided')]).to.deep.equal([422, true]);
    },
  );

  itLong('approve only what the moderator has seen: 422 after a change, and the product still waits', async () => {
    const path = await made();
    const page = await root.browser.get(path);
    service.clock.advance(1_000);
    await ada.browser.fill(`/selling/live/products/${idIn(path)}/versions/new`, {
      product_zip: fileOf(await zipOf(), 'other.zip'),
    });
    const answer = await root.browser.submit(page, {}, 'Approve');
    expect([answer.status, answer.text.includes('has changed in the meantime')]).to.deep.equal([422, true]);
    expect((await find(path)).status).to.equal('pending');
    await root.browser.submit(await root.browser.get(path), {}, 'Approve');
    expect((await find(path)).status).to.equal('published');
  });

  itLong('reject a product with a reason, which the seller gets; 422 without one', async () => {
    const path = await made();
    const none = await root.browser.fill(`${path}/reject`, { reason: ' ' });
    expect([none.status, none.faults]).to.deep.equal([422, { reason: 'Enter the reason.' }]);
    const long = await root.browser.fill(`${path}/reject`, { reason: 'x'.repeat(1_001) });
    expect([long.status, long.html.includes('x'.repeat(1_001))]).to.deep.equal([422, true]);
    const answer = await root.browser.fill(`${path}/reject`, { reason: 'No license file.' });
    expect(statusOf(answer)).to.deep.equal([303, `${queue}?decided=${idIn(path)}`]);
    expect((await root.browser.follow(answer)).text).to.not.include('See the public page');
    expect(await find(path)).to.deep.include({ status: 'rejected', rejectionReason: 'No license file.' });
    const letter = (await service.letters(ada.email)).find(({ kind }) => kind === 'product-rejected');
    expect(letter?.text).to.include('No license file.');
    const again = await root.browser.fill(`${path}/reject`, { reason: 'Again' });
    expect([again.status, again.alert?.includes('somebody else has already decided')]).to.deep.equal([422, true]);
  });
});
