import { expect } from 'chai';
import fc from 'fast-check';
import { t } from '../../../../apps/wiring/tokens.ts';
import { isSellerSlug } from '../../../../core/sellers/seller-page.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { sharedPicture } from '../../../support/shared-picture.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from '../dashboard/dashboard-service.ts';

const onSale = { status: 'published', archivedAt: null, price: 4900, thumbnail: null, sellerName: 'Ada & Co' } as const;
const form = '/selling/live/products/seller-page';

describe('the page of a seller', () => {
  let service: SellingService;
  let ada: Person;
  let count = 0;
  before(async () => {
    service = await startSellingService();
  });
  beforeEach(async () => {
    ada = await service.signedInUser({ name: 'Ada' });
    count++;
  });
  after(() => service.close());

  const get = (path: string) => service.browser().get(path);
  const save = (fields: Record<string, string> = {}, person = ada) =>
    person.browser.fill(form, { name: 'Ada <b>& Co', slug: `ada-${count}`, about: 'I *make* dApps.', ...fields });

  itLong(
    '200 once it is made, with the products for sale, newest first, and in the list for search engines',
    async () => {
      expect((await get(`/sellers/ada-${count}`)).status).to.equal(404);
      expect((await ada.browser.get(form)).html).to.include('value="Ada"');
      const saved = await save();
      expect([saved.status, saved.location]).to.deep.equal([303, `/sellers/ada-${count}`]);
      expect((await get(`/sellers/ada-${count}`)).text).to.include('No products for sale');
      for (const [n, more] of [
        {},
        {},
        { status: 'pending' },
        { isLive: false },
        { status: 'unlisted', archivedAt: 1 },
      ].entries()) {
        await service.product(ada, `${count}-p${n}`, { ...onSale, ...more } as never);
      }
      await service.product(null, `${count}-other`, onSale);
      const page = await get(`/sellers/ada-${count}`);
      expect([page.status, page.heading]).to.deep.equal([200, 'Ada <b>& Co']);
      expect(page.html).to.include('<em>make</em>').and.to.include('Ada &lt;b>&amp; Co').and.to.include('2 products');
      expect(page.html).to.include('"@type":"ProfilePage"').and.to.include('"@type":"BreadcrumbList"');
      const slugs = Array.from(page.html.matchAll(/marketplace\/([\w-]+)"/g), ([, slug]) => slug);
      expect(slugs).to.deep.equal([`${count}-p1`, `${count}-p0`]);
      const shared = await sharedPicture(`${service.url}/share/sellers/ada-${count}.jpg`);
      expect([shared.status, shared.headers.get('Content-Type')]).to.deep.equal([200, 'image/jpeg']);
      await shared.arrayBuffer();
      expect((await get('/sitemap/0.xml')).html).to.include(`<loc>${service.url}/sellers/ada-${count}</loc>`);
    },
  );

  it('is where the pages of its products lead', async () => {
    await service.product(ada, `${count}-jar`, onSale);
    expect((await get(`/marketplace/${count}-jar`)).html).to.not.include('/sellers/');
    await save();
    const { html } = await get(`/marketplace/${count}-jar`);
    expect(html)
      .to.include(`<a href="../sellers/ada-${count}">Ada &amp; Co</a>`)
      .and.to.include('All products of this seller');
  });

  itLong('has as many pages as it needs', async () => {
    await save();
    for (let n = 0; n < 25; n++) await service.product(ada, `${count}-n${n}`, onSale);
    const first = await get(`/sellers/ada-${count}`);
    expect(first.html.match(/class="card offer"/g)).to.have.length(24);
    expect(first.html).to.include(`href="./ada-${count}?page=2"`).and.to.include('25 products');
    const second = await get(`/sellers/ada-${count}?page=2`);
    expect(second.html.match(/class="card offer"/g)).to.have.length(1);
    expect(second.html).to.include('noindex');
    for (const page of ['0', '-1', 'x', '', '1&page=2']) {
      expect((await get(`/sellers/ada-${count}?page=${page}`)).html, page).to.include('25 products');
    }
    expect((await get(`/sellers/ada-${count}?page=9999`)).status).to.equal(200);
  });

  itLong('422 without a name, or with an address that is none or that another seller has', async () => {
    await save();
    const bob = await service.signedInUser({ name: 'Bob' });
    for (const [fields, message] of [
      [{ name: '' }, 'Enter a name.'],
      [{ slug: '' }, 'Use small letters'],
      [{ slug: '12' }, 'Use small letters'],
      [{ slug: 'a--b' }, 'Use small letters'],
      [{ slug: '../x' }, 'Use small letters'],
      [{ slug: 'x'.repeat(41) }, 'Use small letters'],
      [{}, 'Another seller has this address.'],
      [{ about: 'x'.repeat(5001) }, 'at most 5000'],
    ] as const) {
      const sent = await bob.browser.post(form, { name: 'Bob', slug: `ada-${count}`, about: '', ...fields });
      expect([sent.status, sent.text.includes(message)], JSON.stringify(fields).slice(0, 50)).to.deep.equal([
        422,
        true,
      ]);
    }
    expect((await save({ slug: `BOB-${count}` }, bob)).location).to.equal(`/sellers/bob-${count}`);
  });

  it('404 for every other address, and when its seller is suspended', async () => {
    for (const slug of ['nothing', '%00', 'A', '..%2f', 'x'.repeat(300)]) {
      expect((await get(`/sellers/${slug}`)).status, slug).to.equal(404);
    }
    await save();
    await service.product(ada, `${count}-jar`, onSale);
    good(await (await service.parts.get(t.userAdministration)).suspend(ada.email, operator));
    expect((await get(`/sellers/ada-${count}`)).status).to.equal(404);
    expect((await get(`/marketplace/${count}-jar`)).html).to.not.include('/sellers/');
    expect((await get('/sitemap/0.xml')).html).to.not.include(`/sellers/ada-${count}<`);
  });

  itLong('a second tab is told what changed meanwhile', async () => {
    await save();
    const [one, two] = [await ada.browser.get(form), await ada.browser.get(form)];
    service.clock.advance(1000);
    expect((await ada.browser.submit(one, { name: 'First' })).status).to.equal(303);
    expect((await ada.browser.submit(two, { name: 'Second' })).status).to.equal(409);
    expect((await get(`/sellers/ada-${count}`)).heading).to.equal('First');
  });

  it('an address is what it says, and nothing else', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{1,10}(-[a-z0-9]{1,9}){0,3}$/), (slug) => {
        expect(isSellerSlug(slug)).to.equal(/[a-z]/.test(slug));
        for (const wrong of [`-${slug}`, `${slug}-`, `${slug}/`, `${slug} `, `${slug}\n`, slug.toUpperCase()]) {
          if (wrong !== slug) expect(isSellerSlug(wrong), wrong).to.equal(false);
        }
      }),
    );
  });
});
