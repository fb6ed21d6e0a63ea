import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { fileOf, jpgOf, pngOf, zipOf } from '../../../support/samples.ts';
import type { Fields, WebAnswer } from '../../../support/web-client.ts';
import { type DashboardService, type Person, startDashboardService } from './dashboard-service.ts';

const zip = fileOf(await zipOf(), 'product.zip');
const png = fileOf(pngOf(), 'thumbnail.png');
const statusOf = ({ status, location }: WebAnswer) => [status, location];

const typed = {
  title: 'Swap',
  tagline: 'Swap anything',
  description: 'A decentralised exchange, ready to deploy.',
  price: '49.90',
  module: 'dapp',
} as const satisfies Fields;
const filled = { ...typed, product_zip: zip, thumbnail: png } as const satisfies Fields;

describe('the pages of sellers about their products', () => {
  let service: DashboardService;
  let ada: Person;
  before(async () => {
    service = await startDashboardService();
  });
  beforeEach(async () => {
    ada = await service.signedInUser();
  });
  after(() => service.close());

  const list = '/selling/live/products';
  /** Makes a product by the form, and returns the path of its page. */
  async function made(fields: Fields = {}, person = ada, mode = 'live'): Promise<string> {
    const answer = await person.browser.fill(`/selling/${mode}/products/new`, { ...filled, ...fields });
    expect(answer.status, answer.text).to.equal(303);
    return answer.location ?? '';
  }
  const idIn = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  const decide = async (path: string, step: 'approve' | 'reject', reason?: string) =>
    good(
      await service.products.change(idIn(path), step, { ...operator, ...(reason && { by: { actor: 'op', reason } }) }),
    );
  const stored = async (path: string) => (await service.rows('products')).find(({ id }) => String(id) === idIn(path));

  describe('for everybody', () => {
    itLong('303 to sign-in and back for people who are not signed in', async () => {
      const path = await made();
      for (const one of [
        list,
        `${list}/new`,
        path,
        ...['edit', 'versions/new', 'versions/1/delete', 'archive', 'thumbnail', 'download'].map(
          (end) => `${path}/${end}`,
        ),
      ]) {
        const away = await service.browser().get(one);
        expect(statusOf(away), one).to.deep.equal([303, `/sign-in?next=${encodeURIComponent(one)}`]);
      }
      for (const end of ['unlist', 'relist', 'resubmit', 'archive', 'edit', 'versions/new', 'versions/1/delete']) {
        expect((await service.browser().post(`${path}/${end}`, {})).status, end).to.equal(303);
      }
    });

    itLong(
      '404 for products of others, of the other mode and of nobody, and for unknown modes; nothing changes',
      async () => {
        const path = await made();
        const before = await stored(path);
        const eve = await service.signedInUser();
        const own = idIn(await made({}, eve));
        const gets = ['', '/edit', '/versions/new', '/versions/1/delete', '/archive', '/thumbnail', '/download'];
        for (const end of gets) {
          expect((await eve.browser.get(path + end)).status, end).to.equal(404);
          expect((await eve.browser.get(`/selling/test/products/${own}${end}`)).status, `test ${end}`).to.equal(404);
        }
        expect((await eve.browser.get(`${list}/999999`)).status).to.equal(404);
        for (const end of ['', '/new'])
          expect((await eve.browser.get(`/selling/prod/products${end}`)).status).to.equal(404);
        for (const end of ['unlist', 'relist', 'resubmit', 'archive', 'versions/1/delete']) {
          expect((await eve.browser.post(`${path}/${end}`, {})).status, end).to.equal(404);
        }
        const edit = new FormData();
        for (const [name, value] of Object.entries({ ...typed, title: 'Mine' })) edit.set(name, value);
        expect((await eve.browser.post(`${path}/edit`, edit)).status).to.equal(404);
        expect((await eve.browser.post(`${path}/versions/new`, { product_zip: zip })).status).to.equal(404);
        expect((await eve.browser.post(`${path}/thumbnail`, { thumbnail: png })).status).to.equal(404);
        expect(await stored(path)).to.deep.equal(before);
      },
    );

    it('403 for forms of other sites', async () => {
      const path = await made();
      const other = { 'Sec-Fetch-Site': 'cross-site' };
      for (const end of ['unlist', 'resubmit', 'archive', 'edit', 'versions/new', 'versions/1/delete', 'thumbnail']) {
        expect((await ada.browser.post(`${path}/${end}`, {}, other)).status, end).to.equal(403);
      }
      for (const end of ['new', 'preview']) {
        expect((await ada.browser.post(`${list}/${end}`, filled, other)).status, end).to.equal(403);
      }
    });
  });

  describe('the list', () => {
    it('leads to the first product if there is none', async () => {
      const page = await ada.browser.get(list);
      expect(page.text).to.include('Sell your first product');
      expect(page.links.find(({ text }) => text === 'Create your first product')?.href).to.match(/products\/new$/);
    });

    itLong(
      'has the products of one mode and one person, also for administrators, by search and state, in pages',
      async () => {
        const root = await service.signedInUser({ role: 'admin' });
        await made({ title: 'Alpha' });
        const beta = await made({ title: 'Beta' });
        await made({ title: 'Gamma' }, ada, 'test');
        await decide(beta, 'approve');
        const titles = async (query: string, person = ada) =>
          (await person.browser.get(`/selling/${query}`)).links
            .map(({ text }) => text)
            .filter((text) => ['Alpha', 'Beta', 'Gamma'].includes(text));
        expect(await titles('live/products')).to.deep.equal(['Beta', 'Alpha']);
        expect(await titles('test/products')).to.deep.equal(['Gamma']);
        expect(await titles('live/products?q=alp')).to.deep.equal(['Alpha']);
        expect(await titles('live/products?state=published')).to.deep.equal(['Beta']);
        expect(await titles('live/products?q=zzz')).to.deep.equal([]);
        expect(await titles('live/products', root)).to.deep.equal([]);
        for (let n = 0; n < 24; n++) await made({ title: `Number ${n}` });
        const first = await ada.browser.get(list);
        const more = first.links.find(({ text }) => text === 'More')?.href ?? '';
        expect((await ada.browser.get(new URL(more, `http://x${list}`).href.slice(8))).text).to.include('Alpha');
        expect((await ada.browser.get(`${list}?after=wrong`)).status).to.equal(404);
      },
    );
  });

  describe('a new product', () => {
    itLong(
      'has categories and blockchains to choose from, and own ones beside them; a form that is sent unchanged keeps both',
      async () => {
        const form = await ada.browser.get('/selling/live/products/new');
        const offered = form.elements('option').map(({ text }) => text);
        expect(offered).to.include('None').and.to.include('DeFi DEX');
        const path = await made({ category: 'defi-dex', chains: ['base', 'solana'], blockchains: 'linea, base' });
        const find = async () => good(await service.products.find(idIn(path), operator));
        const both = { category: 'defi-dex', blockchains: ['base', 'solana', 'linea'] };
        expect(await find()).to.deep.include(both);
        const edit = await ada.browser.get(`${path}/edit`);
        expect(edit.forms.find(({ names }) => names.includes('chains'))?.values).to.deep.include({
          ...{ category: ['defi-dex'], own_category: [''], chains: ['base', 'solana'], blockchains: ['linea'] },
        });
        expect((await ada.browser.submit(edit, {})).status).to.equal(303);
        expect(await find()).to.deep.include(both);
        await ada.browser.submit(edit, { own_category: 'Räder', chains: [] });
        expect(await find()).to.deep.include({ category: 'Räder', blockchains: ['linea'] });
        const kept = await ada.browser.get(`${path}/edit`);
        expect(kept.forms.find(({ names }) => names.includes('category'))?.values.category).to.deep.equal(['Räder']);
        await service.products.change(idIn(path), 'approve', operator);
        const next = await ada.browser.get('/selling/live/products/new');
        expect(
          next.elements('option').map(({ text }) => text),
          'those of other products',
        ).to.include('Räder');
        const many = Array.from({ length: 20 }, (_, n) => `chain${n}`).join(',');
        const wrong = await ada.browser.submit(kept, { blockchains: many, chains: ['base'] });
        expect([wrong.status, wrong.faults]).to.deep.equal([422, { blockchains: 'Use at most 20.' }]);
      },
    );

    itLong('303 to its page, with everything that was typed, and waits for approval', async () => {
      const path = await made({
        ...{ variant: 'amm', category: 'defi', tags: 'defi, dex,, dex', blockchains: 'base', support: 'yes' },
        ...{ seller_name: 'Ada & Co', max_domains: '3', duration: 'first_activation', days: '30' },
        ...{ demo: 'https://demo.example.com/?a=1', video: ' https://v.example ' },
        ...{
          hosts: ['local', 'www'],
          preview_hosts: '*.vercel.app\nstaging.*',
          moves: '0',
          rotations: '4',
          lease_hours: '24',
          ...{ domain_proof: 'always', deactivation: 'cool_down', cool_down: '48' },
          on_refund: 'keep',
        },
      });
      const product = good(await service.products.find(idIn(path), operator));
      expect(product).to.deep.include({ ...typed, price: 4990, variant: 'amm', category: 'defi', subcategory: null });
      expect(product).to.deep.include({
        tags: ['defi', 'dex'],
        isSupported: true,
        sellerName: 'Ada & Co',
        links: { demo: 'https://demo.example.com/?a=1', source: null, video: 'https://v.example' },
        isLive: true,
      });
      expect(product.terms).to.deep.equal({
        maxDomains: 3,
        duration: { days: 30, from: 'first_activation' },
        hosts: { localHostsAreFree: true, previewHosts: ['*.vercel.app', 'staging.*'], wwwIsApex: true },
        movesPerMonth: 0,
        rotationsPerYear: 4,
        leaseHours: 24,
        onRefund: 'keep',
        ...{ domainProof: 'always', deactivation: 'cool_down', coolDownHours: 48 },
      });
      const page = await ada.browser.get(path);
      expect([page.status, page.heading, page.notice]).to.deep.equal([
        200,
        'Swap',
        'Your product is submitted. Buyers see it when it is approved.',
      ]);
      expect(page.text).to.include('Waits for approval').and.to.include('30 days from its first activation');
      const edit = await ada.browser.get(`${path}/edit`);
      expect(edit.html).to.include('value="https://demo.example.com/?a=1"');
      expect(product.blockchains).to.deep.equal(['base']);
      const wrong = await ada.browser.submit(edit, { source: 'http://plain.example', demo: 'javascript:alert(1)' });
      expect(wrong.status).to.equal(422);
      expect(wrong.text).to.include('Enter an address that begins with https://.');
    });

    itLong('needs a title, a price and a zip, no more', async () => {
      const zip = fileOf(await zipOf(), 'least.zip');
      const answer = await ada.browser.fill(`${list}/new`, { title: 'Least', price: '5', product_zip: zip });
      const product = good(await service.products.find(idIn(answer.location ?? ''), operator));
      expect(product).to.include({ tagline: '', description: '', module: 'custom', thumbnail: null, version: '1' });
      expect((await ada.browser.get(answer.location ?? '')).status).to.equal(200);
      const root = await service.signedInUser({ role: 'admin' });
      await root.browser.submit(await root.browser.get(`/admin/products/${product.id}`), {}, 'Approve');
      const shown = await service.browser().get(`/marketplace/${product.slug}`);
      expect([shown.status, shown.heading]).to.deep.equal([200, 'Least']);
    });

    itLong('is a test product in test mode', async () => {
      const product = good(await service.products.find(idIn(await made({}, ada, 'test')), operator));
      expect([product.isLive, product.thumbnail?.startsWith('private/')]).to.deep.equal([false, true]);
    });

    itLong('422 with everything that was typed, and a message beside each wrong field and file', async () => {
      const wrong = {
        ...{ title: ' ', tagline: 'x'.repeat(61), description: 'short', price: 'much', module: 'x'.repeat(51) },
        ...{ tags: 'x'.repeat(51), max_domains: '0', duration: 'issue', days: 'a week', moves: '-1', variant: 'amm' },
      };
      const page = await ada.browser.fill(`${list}/new`, { ...wrong, product_zip: png, thumbnail: zip });
      expect(page.status).to.equal(422);
      expect(page.faults).to.have.all.keys(
        ...['title', 'tagline', 'description', 'price', 'module', 'tags', 'max_domains', 'days', 'moves'],
        ...['product_zip', 'thumbnail'],
      );
      const form = page.forms.find(({ names }) => names.includes('title'));
      for (const [name, value] of Object.entries(wrong)) expect(form?.values[name], name).to.deep.equal([value]);
      const [prices, find] = page.elements('details');
      expect([prices?.attributes, find?.attributes].map((one) => 'open' in (one ?? {}))).to.deep.equal([false, true]);
      const none = await ada.browser.fill(`${list}/new`, typed);
      expect([none.status, none.faults]).to.deep.equal([422, { product_zip: 'Choose a zip.' }]);
      expect(await service.rows('products').then((rows) => rows.filter((row) => row.title === ' '))).to.deep.equal([]);
    });

    it('lists what is wrong in the order of the fields, also of files between them', async () => {
      const page = await ada.browser.fill(`${list}/new`, { ...typed, title: '', price: 'x', moves: 'x' });
      const links = page.links.filter(({ href }) => href.startsWith('#') && href !== '#content');
      expect(links.map(({ href }) => href)).to.deep.equal(['#title', '#price', '#product_zip', '#moves']);
    });

    itLong('422 for a pattern that matches too much, beside its field', async () => {
      const page = await ada.browser.fill(`${list}/new`, { ...filled, preview_hosts: '*.com' });
      expect([page.status, Object.keys(page.faults)]).to.deep.equal([422, ['preview_hosts']]);
      expect((await ada.browser.submit(page, { ...filled, preview_hosts: '' })).status).to.equal(303);
    });

    itLong('is made once if the form is sent twice', async () => {
      const page = await ada.browser.get(`${list}/new`);
      const answers = [await ada.browser.submit(page, filled), await ada.browser.submit(page, filled)];
      expect(answers.map(({ status }) => status)).to.deep.equal([303, 303]);
      expect(answers[1]?.location).to.equal(list);
      const { id } = good(await service.accounts.find(ada.email));
      expect(good(await service.products.list({ ownerId: id }, 1, 9, operator)).total).to.equal(1);
    });

    itLong('gives a script the next address in a header, and the page keeps its notice', async () => {
      const page = await ada.browser.get(`${list}/new`);
      const form = page.forms.find(({ names }) => names.includes('title'));
      const answer = await ada.browser.post(`${list}/new`, { ...form?.values, ...filled }, { 'Form-By-Script': 'yes' });
      const to = new URL(answer.headers.get('Go-To') ?? '', `http://x${list}/new`).pathname;
      expect([answer.status, answer.html]).to.deep.equal([200, '']);
      expect((await ada.browser.get(to)).notice).to.match(/^Your product is submitted/);
    });
  });

  describe('the preview', () => {
    it('200 with the rendered description, whatever else the form contains', async () => {
      const page = await ada.browser.post(`${list}/preview`, {
        ...filled,
        description: '# Hi\n\n<b>you</b>',
        title: '',
      });
      expect(page.status).to.equal(200);
      expect(page.html).to.include('<h2 dir="auto">Hi</h2>').and.to.include('&lt;b&gt;you');
      expect(await service.files()).to.deep.equal(await service.files());
      expect((await ada.browser.post(`${list}/preview`, { ...filled, description: '' })).text).to.include(
        'Nothing to show',
      );
      expect((await service.browser().post(`${list}/preview`, filled)).status).to.equal(303);
    });

    it('renders no more than a description can have, because a longer text would make others wait', async () => {
      const { html } = await ada.browser.post(`${list}/preview`, { ...filled, description: 'x'.repeat(99_000) });
      expect(html.match(/x{1000,}/)?.[0].length).to.equal(20_000);
    });
  });

  describe('one product', () => {
    itLong('can be edited while it is published; very long texts fit', async () => {
      const path = await made();
      await decide(path, 'approve');
      const description = 'م'.repeat(20_000);
      const answer = await ada.browser.fill(`${path}/edit`, { title: 'Swap 2', description, max_domains: '5' });
      expect(statusOf(answer)).to.deep.equal([303, path]);
      const product = good(await service.products.find(idIn(path), operator));
      expect(product).to.deep.include({ title: 'Swap 2', description, status: 'published', slug: product.slug });
      expect(product.terms.maxDomains).to.equal(5);
      const wrong = await ada.browser.fill(`${path}/edit`, { title: '', price: '1' });
      expect([wrong.status, Object.keys(wrong.faults)]).to.deep.equal([422, ['title']]);
      expect(wrong.forms.find(({ names }) => names.includes('price'))?.values.price).to.deep.equal(['1']);
    });

    itLong(
      'says if nobody can buy it, because the site has no way to pay; administrators are led to the settings',
      async () => {
        const admin = await service.signedInUser({ role: 'admin' });
        for (const [person, price, says, leads] of [
          [ada, '49', 'but nobody can buy it', false],
          [admin, '49', 'but nobody can buy it', true],
          [admin, '0', 'Buyers see this product on the marketplace.', false],
        ] as const) {
          const path = await made({ price }, person);
          await decide(path, 'approve');
          const { text, html } = await person.browser.get(path);
          expect(text).to.include(says);
          expect(html.includes('admin/settings/payments')).to.equal(leads);
        }
      },
    );

    itLong('says why it was rejected, and waits again after it was submitted again', async () => {
      const path = await made();
      const root = await service.signedInUser({ role: 'admin' });
      const actor = { kind: 'user', user: (await root.me()).login, reason: 'No license file.' } as const;
      good(await service.products.change(idIn(path), 'reject', actor));
      const page = await ada.browser.get(path);
      expect(page.text).to.include('Rejected').and.to.include('No license file.');
      const answer = await ada.browser.submit(page, {}, 'Submit again');
      expect((await ada.browser.follow(answer)).text).to.include('Waits for approval');
      const again = await ada.browser.post(`${path}/resubmit`, {});
      expect([again.status, again.text.includes('has changed in the meantime')]).to.deep.equal([422, true]);
    });

    itLong('is unlisted, listed again and archived; then nothing can be changed', async () => {
      const path = await made();
      await decide(path, 'approve');
      const press = async (submit: string) => ada.browser.submit(await ada.browser.get(path), {}, submit);
      expect((await ada.browser.follow(await press('Unlist'))).text).to.include('Unlisted');
      expect((await ada.browser.follow(await press('List again'))).text).to.include('Published');
      expect((await ada.browser.get(`${path}/archive`)).heading).to.equal('Archive this product?');
      const archived = await ada.browser.follow(await ada.browser.submit(await ada.browser.get(`${path}/archive`)));
      expect(archived.text).to.include('Archived');
      expect(archived.forms.filter(({ action }) => action.includes('products'))).to.deep.equal([]);
      expect((await ada.browser.fill(`${path}/edit`, { title: 'X' })).status).to.equal(422);
      expect((await ada.browser.post(`${path}/versions/new`, { product_zip: zip })).status).to.equal(422);
      expect((await ada.browser.post(`${path}/thumbnail`, { thumbnail: png })).status).to.equal(422);
      expect((await ada.browser.get(`${list}?state=archived`)).text).to.include('Swap');
    });

    itLong('gets new versions, each with its zip', async () => {
      const path = await made();
      const zip2 = fileOf(await zipOf([{ name: 'two.txt' }]), 'two.zip');
      const answer = await ada.browser.fill(`${path}/versions/new`, {
        product_zip: zip2,
        number: '1.2.0',
        notes: 'Faster.',
      });
      const page = await ada.browser.follow(answer);
      expect([answer.status, page.notice]).to.deep.equal([303, 'The new version is uploaded.']);
      expect(page.text).to.include('Version 1.2.0').and.to.include('Faster.').and.to.include('Version 1 ');
      const link = await ada.browser.get(`${path}/download?version=1.2.0`);
      expect(link.status).to.equal(302);
      const bytes = await (await fetch(link.headers.get('Location') ?? '')).arrayBuffer();
      expect(Buffer.from(bytes).equals(Buffer.from(await zip2.arrayBuffer()))).to.equal(true);
      expect((await ada.browser.get(`${path}/download?version=9`)).status).to.equal(404);
      const taken = await ada.browser.fill(`${path}/versions/new`, {
        product_zip: zip2,
        number: '1.2.0',
        notes: 'Again',
      });
      expect([taken.status, Object.keys(taken.faults)]).to.deep.equal([422, ['number']]);
      const wrong = await ada.browser.fill(`${path}/versions/new`, { number: 'a b', notes: 'Kept' });
      expect([wrong.status, Object.keys(wrong.faults).sort()]).to.deep.equal([422, ['number', 'product_zip']]);
      expect(wrong.html).to.include('Kept');
    });

    itLong('loses a version that nobody needs after a question, but never the newest one', async () => {
      const path = await made();
      for (const number of ['2', '3+a.b']) await ada.browser.fill(`${path}/versions/new`, { product_zip: zip, number });
      const links = (await ada.browser.get(path)).links.map(({ href }) => href).filter((href) => /delete$/.test(href));
      expect(links).to.have.lengthOf(2);
      const question = await ada.browser.get(`${path}/versions/2/delete`);
      expect(question.heading).to.equal('Delete version 2?');
      const page = await ada.browser.follow(await ada.browser.submit(question));
      expect(page.notice).to.equal('The version is deleted.');
      expect(page.text).to.include('Version 1 ').and.not.include('Version 2 ');
      const newest = await ada.browser.fill(`${path}/versions/${encodeURIComponent('3+a.b')}/delete`, {});
      expect([newest.status, newest.text.includes('Version 3+a.b is the newest one')]).to.deep.equal([422, true]);
      expect((await ada.browser.post(`${path}/versions/2/delete`, {})).status, 'again').to.equal(404);
      expect((await ada.browser.post(`${path}/archive`, {})).status).to.equal(303);
      expect((await ada.browser.fill(`${path}/versions/1/delete`, {})).status, 'archived').to.equal(303);
    });

    itLong('lists older versions on more pages', async () => {
      const path = await made();
      for (let n = 0; n < 11; n++) await ada.browser.fill(`${path}/versions/new`, { product_zip: zip });
      const page = await ada.browser.get(path);
      const older = page.links.find(({ text }) => text === 'Older versions')?.href ?? '';
      expect(page.text).to.include('Version 12').and.to.not.include('Version 2 ');
      expect((await ada.browser.get(new URL(older, `http://x${path}`).href.slice(8))).text).to.include('Version 1 ');
    });

    itLong('gets up to eight more pictures, each with what it shows, in the order that the seller wants', async () => {
      const path = await made();
      const add = async (alt: string, file = fileOf(pngOf(), 'a.png')) =>
        await ada.browser.fill(`${path}/pictures/new`, { alt, picture: file });
      for (const [fields, message] of [
        [{ alt: '' }, 'Say what it shows.'],
        [{ alt: 'x'.repeat(201) }, 'at most 200'],
        [{ picture: fileOf(await zipOf(), 'a.png') }, 'PNG'],
        [{ picture: fileOf(Buffer.of(), '') }, 'Choose a picture.'],
      ] as const) {
        const sent = await ada.browser.fill(`${path}/pictures/new`, {
          alt: 'A',
          picture: fileOf(pngOf(), 'a.png'),
          ...fields,
        });
        expect([sent.status, sent.text.includes(message)], message).to.deep.equal([422, true]);
      }
      for (const alt of ['One "é"', 'Two']) expect((await add(alt)).status).to.equal(303);
      expect((await add('Three', fileOf(pngOf(30, 20), 'a.png'))).status).to.equal(303);
      const now = async () => good(await service.products.find(idIn(path), operator)).pictures;
      expect((await now()).map(({ alt }) => alt)).to.deep.equal(['One "é"', 'Two', 'Three']);
      expect((await now()).at(-1)?.shape).to.deep.equal({ width: 30, height: 20 });
      const [one, two, three] = (await now()).map(({ key }) => key.slice(key.lastIndexOf('/') + 1));
      expect((await ada.browser.post(`${path}/pictures/${three}/first`, {})).location).to.equal(path);
      expect((await ada.browser.post(`${path}/pictures/${two}/remove`, {})).location).to.equal(path);
      expect((await now()).map(({ alt }) => alt)).to.deep.equal(['Three', 'One "é"']);
      expect((await ada.browser.post(`${path}/pictures/${two}/remove`, {})).text).to.include(
        'does not have this picture',
      );
      await service.products.change(idIn(path), 'approve', operator);
      const { slug } = good(await service.products.find(idIn(path), operator));
      const { html } = await service.browser().get(`/marketplace/${slug}`);
      const shown = Array.from(
        html
          .split('class="gallery"')[1]
          ?.split('</ul>')[0]
          ?.matchAll(/<a href="([^"]+)">[\s\S]*?alt="([^"]*)"/g) ?? [],
      );
      const own = (await ada.browser.get(path)).html;
      expect(own)
        .to.include(`/embed/${slug}.js`)
        .and.to.match(/assets\/copy-\w+\.js/);
      expect(shown.map(([, , alt]) => alt)).to.deep.equal(['Three', 'One &quot;é&quot;']);
      expect((await service.send(shown[1]?.[1] ?? '')).headers.get('Content-Type')).to.equal('image/png');
      const [, data = '{}'] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? [];
      const forEngines: string[] = JSON.parse(data).image;
      expect(forEngines.map((address) => address.slice(address.lastIndexOf('/') + 1)).slice(1)).to.deep.equal([
        three,
        one,
      ]);
      for (let n = 2; n < 8; n++) expect((await add(`${n}`)).status).to.equal(303);
      expect((await add('Nine')).text).to.include('Remove one first.');
      expect(await now()).to.have.lengthOf(8);
      const eve = await service.signedInUser();
      expect((await eve.browser.get(`${path}/pictures/new`)).status).to.equal(404);
      expect((await eve.browser.post(`${path}/pictures/${one}/remove`, {})).status).to.equal(404);
      await service.products.change(idIn(path), 'archive', operator);
      expect((await ada.browser.post(`${path}/pictures/${one}/remove`, {})).status).to.be.within(400, 499);
    });

    itLong('gets a price that buyers choose, as its offers do, with the least one in each currency', async () => {
      const path = await made();
      const rows = { currency_1: 'eur', amount_1: '14', least_1: '4,50' };
      const edit = (fields: Fields) => ada.browser.fill(`${path}/edit`, { price: '15', ...rows, ...fields });
      const wrong = await edit({ choice: ['yes'], least: '', least_1: '' });
      expect([wrong.status, wrong.faults.least, wrong.faults.least_1]).to.deep.equal([
        ...[422, 'Enter the least price in US dollars, such as 5. It can be 0.'],
        'Enter the least price in EUR, too. It can be 0.',
      ]);
      const above = await edit({ choice: ['yes'], least: '15.01' });
      expect([above.status, above.faults.price]).to.deep.equal([
        ...[422, 'The least price in USD must not be more than the price, which you suggest.'],
      ]);
      expect((await edit({ choice: ['yes'], least: '5' })).status).to.equal(303);
      const now = async () => good(await service.products.find(idIn(path), operator));
      expect(await now()).to.deep.include({
        price: 1_500,
        prices: { eur: 1_400 },
        leastPrices: { eur: 450, usd: 500 },
      });
      const { text } = await ada.browser.get(path);
      expect(text).to.include('Pay what you want, at least $5.00 ($15.00 is suggested). Or €14.00 (at least €4.50).');
      const team = { name: 'Team', price: '149', choice: ['yes'], least: '0', updates_months: '' };
      expect((await ada.browser.fill(`${path}/offers/new`, team)).status).to.equal(303);
      expect((await ada.browser.get(path)).text).to.include('Pay what you want ($149.00 is suggested).');
      const monthly = { ...team, kind: 'subscription', name: 'Monthly' };
      await ada.browser.fill(`${path}/offers/new`, monthly);
      expect((await now()).offers.map(({ leastPrices }) => leastPrices)).to.deep.equal([{ usd: 0 }, undefined]);
      await ada.browser.fill(`${path}/offers/team/edit`, { choice: [] });
      expect((await now()).offers[0]).not.to.have.property('leastPrices');
      expect((await edit({ choice: [] })).status).to.equal(303);
      expect((await now()).leastPrices).to.equal(null);
    });

    itLong('gets offers, each with the sentence that buyers read, which are changed, moved and removed', async () => {
      const path = await made();
      const typed = { name: 'Team', price: '149', max_domains: '5', updates_months: '12', entitlements: 'PRO, team' };
      const add = (fields: Fields = {}) => ada.browser.fill(`${path}/offers/new`, { ...typed, ...fields });
      const now = async () => good(await service.products.find(idIn(path), operator)).offers;
      for (const [fields, message] of [
        [{ name: '' }, 'Enter a name.'],
        [{ price: 'cheap' }, 'Enter a price'],
        [{ max_domains: '0' }, 'whole number'],
        [{ updates_months: 'x' }, 'whole number'],
        [{ entitlements: '-' }, 'is no code'],
        [{ duration: 'issue', days: '0' }, 'whole number'],
        [{ position: '99' }, 'whole number'],
        [{ kind: 'gift' }, 'Choose what the offer sells.'],
        [{ kind: 'trial' }, 'its price must be 0'],
        [{ kind: 'trial', price: '0' }, 'a number of days'],
        [{ kind: 'renewal', updates_months: '' }, 'must add days'],
        [{ kind: 'upgrade', price: '0' }, 'has a price'],
        [{ kind: 'upgrade', from_offer: 'none' }, 'by an offer none'],
        [{ from_offer: 'none' }, 'Only a renewal or an upgrade'],
      ] as const) {
        const sent = await add(fields);
        expect([sent.status, sent.text.includes(message)], message).to.deep.equal([422, true]);
      }
      expect(statusOf(await add())).to.deep.equal([303, path]);
      await add({ name: 'Solo', price: '0', max_domains: '1', updates_months: '', entitlements: '', position: '1' });
      await add({ name: 'Trade', duration: 'issue', days: '30', updates_months: '', listed: [] });
      expect((await now()).map(({ slug, isListed }) => [slug, isListed])).to.deep.equal([
        ['solo', true],
        ['team', true],
        ['trade', false],
      ]);
      expect((await now())[1]).to.deep.equal({
        ...{ slug: 'team', name: 'Team', kind: 'once', price: 14_900, maxDomains: 5, duration: null },
        ...{ updatesMonths: 12, entitlements: ['pro', 'team'], isListed: true, fromOffer: null },
      });
      const monthly = { kind: 'subscription', name: 'Monthly', price: '9', duration: 'issue', days: '30' };
      const recurring = { interval_months: '3', grace_days: '5', perpetual_after: '12', updates_months: '3' };
      await add({ ...monthly, ...recurring });
      expect((await now()).at(-1)).to.deep.include({
        ...{ kind: 'subscription', duration: null, updatesMonths: null },
        recurs: { months: 3, graceDays: 5, perpetualAfter: 12 },
      });
      const page = await ada.browser.get(path);
      for (const text of [
        '$9.00 every 3 months. Works on 5 domains. Valid as long as it is paid, and for ever after 12 paid months.',
        '$149.00 once. Works on 5 domains. Valid for ever. New releases for 12 months. Includes pro, team.',
        'Free. Works on 1 domain. Valid for ever. New releases for ever.',
        'Valid for 30 days from the day it is issued. New releases as long as it is valid.',
        'Not listed',
        '/buy?offer=trade',
      ]) {
        expect(page.text).to.include(text);
      }
      const preview = await ada.browser.submit(await ada.browser.get(`${path}/offers/team/edit`), { price: '99' });
      expect(preview.status).to.equal(303);
      expect((await now())[1]?.price).to.equal(9_900);
      const form = { ...typed, kind: 'once', price: '7', duration: 'forever', days: '', listed: 'yes', position: '' };
      const read = await ada.browser.post(`${path}/offers/preview`, form);
      expect([read.status, read.text.includes('$7.00 once. Works on 5 domains.')]).to.deep.equal([200, true]);
      const wrong = await ada.browser.post(`${path}/offers/preview`, { ...form, price: 'cheap' });
      expect([wrong.status, wrong.text.includes('Enter a price')]).to.deep.equal([200, true]);
      await ada.browser.fill(`${path}/offers/team/edit`, { position: '3' });
      expect((await now()).map(({ slug }) => slug)).to.deep.equal(['solo', 'trade', 'team', 'monthly']);
      expect((await ada.browser.get(`${path}/offers/team/remove`)).text).to.include('keep what was agreed');
      expect(statusOf(await ada.browser.fill(`${path}/offers/team/remove`, {}))).to.deep.equal([303, path]);
      expect((await now()).map(({ slug }) => slug)).to.deep.equal(['solo', 'trade', 'monthly']);
      await ada.browser.fill(`${path}/offers/monthly/remove`, {});
      await add({ name: 'More', kind: 'renewal', from_offer: 'solo', duration: 'issue', days: '30' });
      const renewal = (await now()).at(-1);
      expect(renewal).to.include({ kind: 'renewal', fromOffer: 'solo' });
      for (const text of ['30 days more', 'New releases for 12 months more', 'on the page of their order']) {
        expect((await ada.browser.get(path)).text).to.include(text);
      }
      await ada.browser.fill(`${path}/offers/more/edit`, { from_offer: '' });
      expect((await now()).at(-1)).to.include({ kind: 'renewal', fromOffer: null });
      await ada.browser.fill(`${path}/offers/more/remove`, {});
      const eve = await service.signedInUser();
      for (const end of ['new', 'solo/edit', 'solo/remove']) {
        expect((await eve.browser.get(`${path}/offers/${end}`)).status, end).to.equal(404);
        expect((await eve.browser.post(`${path}/offers/${end}`, {})).status, end).to.be.oneOf([404, 422]);
      }
      for (const end of ['team/edit', 'team/remove']) {
        expect((await ada.browser.get(`${path}/offers/${end}`)).status, end).to.equal(404);
      }
      expect(await now()).to.have.lengthOf(2);
    });

    itLong('gets another thumbnail, which must be an image', async () => {
      const path = await made();
      const before = good(await service.products.find(idIn(path), operator)).thumbnail;
      const answer = await ada.browser.fill(`${path}/thumbnail`, { thumbnail: fileOf(jpgOf(), 'new.jpg') });
      expect(statusOf(answer)).to.deep.equal([303, path]);
      const after = good(await service.products.find(idIn(path), operator)).thumbnail;
      expect(after)
        .to.match(/\.jpg$/)
        .and.to.not.equal(before);
      const wrong = await ada.browser.fill(`${path}/thumbnail`, { thumbnail: zip });
      expect([wrong.status, Object.keys(wrong.faults)]).to.deep.equal([422, ['thumbnail']]);
    });

    itLong('leads to its page for buyers or a preview, and to its licenses', async () => {
      const path = await made();
      const links = (await ada.browser.get(path)).links;
      const preview = links.find(({ text }) => text === 'See the preview')?.href ?? '';
      expect((await fetch(preview.replace(/^https?:\/\/[^/]+/, service.url))).status).to.equal(200);
      expect(links.map(({ href }) => href).join(' ')).to.include(`licenses?product=${idIn(path)}`);
    });
  });

  itLong(
    '422 with all that was typed for a file that is too large, 413 for much too long a form; both name the limits',
    async () => {
      const small = await startDashboardService({ MAX_ZIP_SIZE: String(2 * 1024 ** 2), MAX_IMAGE_SIZE: '1024' });
      try {
        const { browser } = await small.signedInUser();
        const form = await browser.get(`${list}/new`);
        expect(form.text).to.include('What buyers download. At most 2 MiB.').and.to.include('At most 1 KiB.');
        const most = form.elements('input').flatMap(({ attributes }) => attributes['data-most'] ?? []);
        expect(most).to.deep.equal([String(2 * 1024 ** 2), '1024']);
        const sent = (bytes: number, more: Fields = {}) =>
          browser.submit(form, { ...filled, ...more, product_zip: fileOf(new Uint8Array(bytes), 'p.zip') });
        for (const bytes of [2 * 1024 ** 2 + 1, 4 * 1024 ** 2]) {
          const page = await sent(bytes, { description: 'Typed below the zip.' });
          expect([page.status, page.faults.product_zip]).to.deep.equal([422, 'The file may have at most 2 MiB.']);
          const [values = {}] = page.forms.flatMap(({ names, values }) => (names.includes('title') ? [values] : []));
          expect([values.title, values.description]).to.deep.equal([[filled.title], ['Typed below the zip.']]);
        }
        expect([await small.rows('products'), await small.files()]).to.deep.equal([[], []]);
        const answer = await sent(8 * 1024 ** 2);
        expect([answer.status, answer.heading]).to.deep.equal([413, 'The request is too large']);
        expect(answer.text).to.include(
          'Files (.zip): the file may have at most 2 MiB. Thumbnail: the file may have at most 1 KiB.',
        );
      } finally {
        await small.close();
      }
    },
  );

  itLong('422 beside the file if it exceeds the storage of the plan, and nothing is stored', async () => {
    const small = await startDashboardService({ STORAGE_FREE: '10' });
    try {
      const bob = await small.signedInUser();
      const page = await bob.browser.fill(`${list}/new`, filled);
      expect([page.status, Object.keys(page.faults)]).to.deep.equal([422, ['product_zip']]);
      expect([await small.rows('products'), await small.files()]).to.deep.equal([[], []]);
      expect(await (await small.parts.get(t.productStore)).list({}, 0, 1)).to.deep.equal({ items: [], total: 0 });
    } finally {
      await small.close();
    }
  });
});
