import { expect } from 'chai';
import { type SellingService, startSellingService } from '../adapters/http/account/selling-service.ts';
import type { Person } from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, plainHost, type TestBrowser } from '../support/browser.ts';
import { payable, placeOrder } from '../support/placed-orders.ts';
import { needing } from '../support/required-service.ts';

const live = '/selling/live/orders';
const longText = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3);

needing(chromium.skip).describe('the pages of orders in a browser', () => {
  let service: SellingService;
  let browser: TestBrowser;
  let ada: Person;
  let root: Person;
  const paths: Record<'paid' | 'manual' | 'disputed' | 'held', string> = {
    paid: '',
    manual: '',
    disputed: '',
    held: '',
  };
  let license: string;
  let product: number;
  before(async () => {
    service = await startSellingService(payable);
    browser = await openBrowser();
    ada = await service.signedInUser({ name: 'Ada' });
    root = await service.signedInUser({ name: 'Root', role: 'admin' });
    const offer = { price: 1_234_567, status: 'published', isApproved: true } as const;
    ({ id: product } = await service.product(ada, 'jar', { ...offer, title: longText }));
    await service.product(ada, 'cup', { ...offer, title: 'متجر الكعك' });
    const place = async (slug: string, more?: Parameters<typeof placeOrder>[2]) => {
      const order = await placeOrder(service.parts, slug, more);
      return { order, path: `${live}/${order.id}` };
    };
    const email = `${'w'.repeat(60)}@example.com`;
    const withdrawn = await place('jar', { email, name: longText, payment: { dispute: 'open' } });
    license = `/selling/live/licenses/${withdrawn.order.licenseKey}`;
    paths.disputed = withdrawn.path;
    paths.paid = (await place('cup', { name: 'غريس', payment: { refunded: 34_567 } })).path;
    paths.manual = (await place('cup', { way: 'manual', isPaid: false })).path;
    paths.held = (await place('jar', { payment: { status: 'paid', subtotal: 5, total: 6 } })).path;
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const check = (path: string, more: Parameters<TestBrowser['checkPage']>[1] = {}) =>
    browser.checkPage(service.url + path, { cookies: ada.browser.cookies, ...more });
  const checkAsRoot = (path: string) => check(path, { cookies: root.browser.cookies });

  it('have no fault before there is an order', () => check('/selling/test/orders'));

  it('have no fault as a list, and with none that match', async () => {
    for (const path of [live, `${live}?state=failed&q=nobody`]) await check(path);
  });

  it('have no fault with one order, and on the page of a license that is withheld', async () => {
    for (const path of [paths.paid, paths.manual, paths.disputed, paths.held, license]) await check(path);
  });

  it('have no fault as forms, also after a mistake', async () => {
    for (const path of [`${paths.paid}/refund`, `${paths.manual}/paid`, `${paths.manual}/cancel`]) await check(path);
    await check(`${paths.paid}/paid`);
    await check(`${paths.paid}/refund`, { send: { how: 'part', amount: 'x' }, status: 422 });
  });

  it('have no fault with the revenue, and on the overview', async () => {
    for (const path of [`${live}/revenue`, '/selling/live']) await check(path, { complete: '.graph canvas' });
  });

  it('have no fault for administrators', async () => {
    for (const path of ['/admin/orders', paths.held, `${paths.held}/accept`]) await checkAsRoot(path);
    await checkAsRoot(`/admin/products/${product}/template`);
  });

  it('show the field for an amount only if a part is refunded, and the money below the pointer', async () => {
    const page = await browser.newPage();
    try {
      const { port } = new URL(service.url);
      for (const [name, value] of ada.browser.cookies) await page.setCookie({ name, value, domain: plainHost });
      await page.setJavaScriptEnabled(false);
      await page.goto(`http://${plainHost}:${port}${paths.paid}/refund`);
      const isShown = () => page.evaluate("document.querySelector('#amount').checkVisibility()");
      expect(await isShown()).to.equal(false);
      await page.click('input[name=how][value=part]');
      expect(await isShown()).to.equal(true);

      await page.setJavaScriptEnabled(true);
      await page.goto(`http://${plainHost}:${port}${live}/revenue`);
      const plot = await page.waitForSelector('.graph .u-over');
      await plot?.scrollIntoView();
      const box = await plot?.boundingBox();
      if (!box) throw new Error('There is no plot.');
      await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2);
      await page.waitForFunction("document.querySelector('.graph-value').textContent !== ''");
      const values = await page.$$eval('.graph-value', (all) => all.map(({ textContent }) => textContent));
      expect(values).to.deep.equal(['$24,691.34', '$345.67', '$0.00']);
    } finally {
      await page.close();
    }
  });
});
