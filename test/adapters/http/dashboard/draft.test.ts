import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { itLong } from '../../../support/required-service.ts';
import { fileOf, pngOf, zipOf } from '../../../support/samples.ts';
import type { WebAnswer } from '../../../support/web-client.ts';
import { type DashboardService, type Person, startDashboardService } from './dashboard-service.ts';

const typed = { title: 'Swap', tagline: 'Swap anything', module: 'dapp', price: '5' };
const go = 'Continue with what I typed';

describe('what was typed into a form by somebody who is signed out meanwhile', () => {
  let service: DashboardService;
  let ada: Person;
  let path: string;
  before(async () => {
    service = await startDashboardService();
  });
  beforeEach(async () => {
    ada = await service.signedInUser();
    const made = await ada.browser.fill('/selling/live/products/new', {
      ...typed,
      description: 'A decentralised exchange.',
      product_zip: fileOf(await zipOf(), 'product.zip'),
      thumbnail: fileOf(pngOf(), 'thumbnail.png'),
    });
    path = made.location ?? '';
  });
  after(() => service.close());

  const signOut = async ({ browser }: Person) => {
    await browser.post('/sign-out', {});
  };
  const title = async () =>
    (await service.rows('products')).find(({ id }) => String(id) === path.split('/').at(-1))?.title;
  /** Sends the form of the product after a sign-out in another tab. */
  async function sent(fields = { title: 'Typed for an hour' }): Promise<WebAnswer> {
    const form = await ada.browser.get(`${path}/edit`);
    await signOut(ada);
    return await ada.browser.submit(form, fields);
  }

  itLong(
    'is kept, not readable on the page, and comes back after the sign-in; nothing is saved before it is sent',
    async () => {
      const answer = await sent();
      expect([answer.status, answer.heading]).to.deep.equal([401, 'You are signed out']);
      expect(answer.html).to.not.include('Typed for an hour').and.not.include(ada.email);
      const again = await ada.browser.submit(answer, {}, go);
      expect([again.status, again.heading], 'before the sign-in').to.deep.equal([401, 'You are signed out']);
      const link = answer.links.find(({ href }) => href.includes('sign-in?next'));
      const signedIn = await ada.browser.fill(
        `${new URL(link?.href ?? '', `${service.url + path}/edit`).pathname}?next=/sign-in/done`,
        {
          email: ada.email,
          password: ada.password,
        },
      );
      expect((await ada.browser.follow(signedIn)).heading).to.equal('You are signed in');
      const form = await ada.browser.submit(again, {}, go);
      expect([form.status, form.forms.find(({ names }) => names.includes('title'))?.values.title]).to.deep.equal([
        200,
        ['Typed for an hour'],
      ]);
      expect(form.notice).to.include('Nothing was saved yet');
      expect(await title()).to.equal('Swap');
      expect((await ada.browser.submit(form)).status).to.equal(303);
      expect(await title()).to.equal('Typed for an hour');
    },
  );

  itLong('is not shown to another person who signs in', async () => {
    const answer = await sent();
    const eve = await service.signedInUser();
    const shown = await eve.browser.submit(answer, {}, go);
    expect([shown.status, shown.location]).to.deep.equal([303, `${path}/edit`]);
    expect((await eve.browser.follow(shown)).html).to.not.include('Typed for an hour');
  });

  itLong('comes back only in its own form, only as it was sealed, and for a day', async () => {
    const answer = await sent();
    const draft = answer.forms.find(({ submit }) => submit === go)?.values.draft?.[0] ?? '';
    await service.signIn(ada.browser, ada);
    const other = await ada.browser.post('/selling/live/webhooks/new', { draft });
    expect([other.status, other.location]).to.deep.equal([303, '/selling/live/webhooks/new']);
    const changed = `${draft.slice(0, -4)}AAAA`;
    const box = await service.parts.get(t.secretBox);
    for (const wrong of [changed, 'nonsense', box.seal('{"owner":"1"}')]) {
      expect((await ada.browser.post(`${path}/edit`, { draft: wrong })).status, wrong).to.equal(303);
    }
    expect((await ada.browser.post(`${path}/edit`, { draft })).status).to.equal(200);
    service.clock.advance(24 * 60 * 60 * 1000);
    const late = await ada.browser.follow(await ada.browser.post(`${path}/edit`, { draft }));
    expect(late.notice).to.include('older than a day');
  });

  itLong('is kept without its files, and without passwords', async () => {
    const form = await ada.browser.get('/selling/live/products/new');
    await signOut(ada);
    const answer = await ada.browser.submit(form, {
      ...typed,
      description: 'A long text.',
      product_zip: fileOf(await zipOf(), 'product.zip'),
    });
    await service.signIn(ada.browser, ada);
    const back = await ada.browser.submit(answer, {}, go);
    const [values = {}] = back.forms.flatMap(({ names, values }) => (names.includes('title') ? [values] : []));
    expect([values.title, values.description]).to.deep.equal([['Swap'], ['A long text.']]);
    service.clock.advance(20 * 60 * 1000);
    const asking = await ada.browser.get('/account/security/email');
    await signOut(ada);
    const secret = { email: 'new@example.com', current_password: 'my secret password' };
    const kept = await ada.browser.submit(asking, secret);
    const box = await service.parts.get(t.secretBox);
    const draft = kept.forms.find(({ submit }) => submit === go)?.values.draft?.[0] ?? '';
    expect(box.open(draft as ReturnType<typeof box.seal>))
      .to.include('new@example.com')
      .and.not.include('my secret');
  });

  itLong('is kept beside a file of several megabytes, also what stands below it', async () => {
    const form = await ada.browser.get('/selling/live/products/new');
    await signOut(ada);
    const large = fileOf(new Uint8Array(5 * 1024 ** 2), 'product.zip');
    const answer = await ada.browser.submit(form, { ...typed, product_zip: large, description: 'Below the zip.' });
    expect([answer.status, answer.heading]).to.deep.equal([401, 'You are signed out']);
    await service.signIn(ada.browser, ada);
    const back = await ada.browser.submit(answer, {}, go);
    const [values = {}] = back.forms.flatMap(({ names, values }) => (names.includes('title') ? [values] : []));
    expect([values.title, values.description]).to.deep.equal([['Swap'], ['Below the zip.']]);
  });

  it('is refused from somebody else who is signed in in the same browser by now', async () => {
    const form = await ada.browser.get('/account/security/name');
    const eve = await service.signedInUser({ name: 'Eve' });
    const answer = await eve.browser.submit(form, { name: 'Ada L.' });
    expect([answer.status, answer.text.includes('Somebody else was signed in')]).to.deep.equal([422, true]);
    expect((await eve.me()).login.name).to.equal('Eve');
  });
});
