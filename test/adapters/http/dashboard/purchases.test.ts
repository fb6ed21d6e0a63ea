import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { must } from '../../../support/license-acts.ts';
import { payable, placeOrder } from '../../../support/placed-orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';

const onSale = { status: 'published', isApproved: true } as const;
const path = '/account/purchases';

describe('the page of everything that somebody bought', () => {
  let service: SellingService;
  before(async () => {
    service = await startSellingService(payable);
  });
  after(() => service.close());

  /** Pays orders as a guest with the address of a person who is signed in. */
  async function bought() {
    const [ada, grace] = [await service.signedInUser({ name: 'Ada' }), await service.signedInUser({ name: 'Grace' })];
    const slug = (name: string) => `${name}-${ada.email.split('@')[0]?.toLowerCase()}`;
    const add = (name: string, more: Parameters<SellingService['product']>[2]) =>
      service.product(ada, slug(name), { title: name, ...onSale, ...more });
    const jar = await add('Jar', { price: 4_990 });
    const cup = await add('Cup', { price: 1_010, zip: null, version: null });
    const bundle = [jar, cup].map(({ id }) => ({ productId: id, offer: null }));
    await add('Both', { price: 3_000, zip: null, version: null, bundle });
    const email = grace.email;
    const both = await placeOrder(service.parts, slug('Both'), { email });
    const single = await placeOrder(service.parts, slug('Jar'), { email });
    const store = await service.parts.get(t.orderStore);
    const { location = '' } = await grace.browser.fill(`/marketplace/${slug('Cup')}/buy`, { way: 'manual' });
    const open = must(await store.findByToken(location.slice(-24)));
    const parts = await store.partsOf([both.id]);
    return { ada, grace, both, single, open, parts };
  }

  itLong(
    'has each license with its key, domains, download, order and invoice, also of bundles and of orders of guests',
    async () => {
      const { grace, both, single, open, parts } = await bought();
      await service.activate(String(single.licenseKey), 'app.example.com');
      const page = await grace.browser.get(path);
      expect(page.status).to.equal(200);
      for (const { licenseKey, token } of [single, ...parts]) {
        expect(page.html).to.include(String(licenseKey)).and.include(`orders/${token}`);
      }
      for (const order of [both, single]) expect(page.html).to.include(`orders/${order.token}/invoice`);
      expect(page.html).to.include(`orders/${open.token}"`).and.not.include(`orders/${open.token}/invoice`);
      expect(page.text).to.include('1 of 1 domain in use. app.example.com').and.include('Part of Both');
      const downloads = [single, ...parts].filter(({ token }) => page.html.includes(`orders/${token}/download/1"`));
      expect(downloads.map(({ agreed }) => agreed.title)).to.deep.equal(['Jar', 'Jar']);
    },
  );

  it('shows nothing of other buyers, also not of those who sold it', async () => {
    const { ada, single } = await bought();
    const page = await ada.browser.get(path);
    expect(page.html).not.to.include(String(single.licenseKey));
    expect(page.text).to.include('You have not bought anything yet');
    const found = await ada.browser.get(`${path}?q=${single.licenseKey}`);
    expect(found.text).to.include('Nothing found');
    expect(found.html).not.to.include(`orders/${single.token}`);
  });

  itLong('finds what was bought by product, key and order, and leaves out orders without licenses', async () => {
    const { grace, both, single, open, parts } = await bought();
    const shown = async (query: string) => {
      const { status, html } = await grace.browser.get(`${path}?${query}`);
      expect(status).to.equal(200);
      return [single, open, ...parts].filter(({ token }) => html.includes(`orders/${token}"`)).map(({ id }) => id);
    };
    await grace.browser.get(path);
    const ids = parts.map(({ id }) => id);
    expect(await shown('')).to.deep.equal([single.id, open.id, ...ids]);
    expect(await shown('show=licenses')).to.deep.equal([single.id, ...ids]);
    expect(await shown('q=JA')).to.deep.equal([single.id, ...ids]);
    expect(await shown('q=both')).to.deep.equal(ids);
    expect(await shown('q=cup&show=licenses')).to.deep.equal(ids);
    expect(await shown(`q=${single.licenseKey}`)).to.deep.equal([single.id]);
    expect(await shown(`q=${parts[1]?.licenseKey}`)).to.deep.equal(ids);
    expect(await shown(`q=${both.id}`)).to.include.members(ids);
    expect(await shown('q=nothing')).to.deep.equal([]);
  });

  itLong('offers no download of what was refunded, and says so', async () => {
    const { grace, both, parts } = await bought();
    const orders = await service.parts.get(t.orders);
    const jar = must(parts.find(({ agreed }) => agreed.title === 'Jar'));
    good(await orders.refundParts(String(both.id), [jar.id], { actor: operator, mode: 'live' }));
    const { html, text } = await grace.browser.get(`${path}?q=both`);
    expect(html).to.include(`orders/${jar.token}"`).and.not.include(`orders/${jar.token}/download`);
    expect(text).to.include('Refunded').and.include('Revoked');
  });

  itLong('lists long histories in pages', async () => {
    const { grace } = await bought();
    const email = grace.email;
    const slug = 'many';
    await service.product(null, slug, { title: 'Many', price: 100, ...onSale });
    for (let n = 0; n < 30; n++) await placeOrder(service.parts, slug, { email });
    const tokens = new Set<string>();
    let at: string | undefined = path;
    let pages = 0;
    for (; at !== undefined && pages < 9; pages++) {
      const { html, status } = await grace.browser.get(at);
      expect(status).to.equal(200);
      for (const [, token = ''] of html.matchAll(/orders\/([0-9a-z]{24})"/g)) tokens.add(token);
      at = /href="[^"]*(\/?account\/purchases\?after=\d+)"/.exec(html)?.[1]?.replace(/^\/?/, '/');
    }
    expect(pages).to.be.above(1);
    expect(tokens.size).to.equal(30 + 4);
  });
});
