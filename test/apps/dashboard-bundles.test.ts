import { expect } from 'chai';
import { t } from '../../apps/wiring/tokens.ts';
import { type SellingService, startSellingService } from '../adapters/http/account/selling-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { payable, placeOrder } from '../support/placed-orders.ts';
import { needing } from '../support/required-service.ts';

const long = (n: number) => `${n} ${'Swap and bridge everything, everywhere, '.repeat(4)}${'x'.repeat(30)}`;

needing(chromium.skip).describe('the pages of bundles in a browser', () => {
  let service: SellingService;
  let browser: TestBrowser;
  before(async () => {
    service = await startSellingService({ ...payable, RATE_LIMIT_URL: 'memory:', RATE_LIMIT_PAGES: '1000000' });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  it('have no faults: no products, two, and 20 with long titles; the forms, the public page, an order, and all that was bought', async () => {
    const { ada, eve, root } = await service.people();
    const check = (path: string, cookies = ada.browser.cookies) => browser.checkPage(service.url + path, { cookies });
    await check('/selling/live/products/new-bundle', eve.browser.cookies);
    const shared = { status: 'published', isApproved: true, thumbnail: null } as const;
    const inside = [];
    for (let n = 1; n <= 20; n++) {
      const title = n === 2 ? 'مرحبا بالعالم' : n % 2 ? `Part ${n}` : long(n);
      inside.push(await service.product(ada, `part-${n}`, { title, price: n * 99_999, ...shared }));
    }
    const bundle = inside.map(({ id }) => ({ productId: id, offer: null }));
    const files = { zip: null, version: null };
    const all = await service.product(ada, 'all', { title: 'All', price: 300_000, ...files, ...shared, bundle });
    const two = bundle.slice(0, 2);
    const pair = await service.product(ada, 'pair', { title: long(2), price: 0, ...files, ...shared, bundle: two });
    const order = await placeOrder(service.parts, 'all', { email: eve.email });
    await placeOrder(service.parts, 'pair', { email: eve.email });
    const parts = await (await service.parts.get(t.orderStore)).partsOf([order.id]);
    expect(parts).to.have.lengthOf(20);
    for (const path of [
      '/selling/live/products/new-bundle',
      `/selling/live/products/${pair.id}`,
      `/selling/live/products/${all.id}`,
      `/selling/live/products/${all.id}/bundle`,
      `/selling/live/products/${all.id}/edit`,
      `/selling/live/products/${all.id}/offers/new`,
      '/marketplace/all',
      '/marketplace/pair/buy',
      `/orders/${order.token}`,
      `/orders/${parts[1]?.token}`,
      `/selling/live/orders/${order.id}`,
      `/selling/live/orders/${order.id}/refund-products`,
    ]) {
      await check(path);
    }
    await check(`/admin/products/${all.id}`, root.browser.cookies);
    const form = await browser.newPage();
    try {
      const { hostname: domain } = new URL(service.url);
      await form.setCookie(...[...ada.browser.cookies].map(([name, value]) => ({ name, value, domain, path: '/' })));
      await form.goto(`${service.url}/selling/live/products/${pair.id}/bundle`);
      const sum = async () => String(await form.evaluate('document.querySelector("output").textContent'));
      expect(await sum()).to.equal('$2,999.97');
      await form.select('#product_3', String(inside[2]?.id));
      expect(await sum()).to.equal('$5,999.94');
    } finally {
      await form.close();
    }
    for (const query of ['', '?show=licenses', '?q=part', '?q=nothing']) {
      await check(`/account/purchases${query}`, eve.browser.cookies);
    }
    for (const hasScripts of [true, false]) {
      const page = await browser.newPage();
      try {
        await page.setJavaScriptEnabled(hasScripts);
        const { hostname: domain } = new URL(service.url);
        await page.setCookie(...[...eve.browser.cookies].map(([name, value]) => ({ name, value, domain, path: '/' })));
        await page.goto(`${service.url}/account/purchases`);
        await page.type('#q', 'all');
        await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
        const found = String(await page.evaluate('document.body.innerText'));
        expect(found).to.include('Part 19').and.include('Invoice 1').and.not.include('Invoice 2');
      } finally {
        await page.close();
      }
    }
  });
});
