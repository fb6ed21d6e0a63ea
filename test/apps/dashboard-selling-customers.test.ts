import { type SellingService, startSellingService } from '../adapters/http/account/selling-service.ts';
import type { Person } from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { payable, placeOrder } from '../support/placed-orders.ts';
import { needing } from '../support/required-service.ts';

const live = '/selling/live/orders/customers';

needing(chromium.skip).describe('the lists of customers in a browser', () => {
  let service: SellingService;
  let browser: TestBrowser;
  let ada: Person;
  let root: Person;
  let order = '';
  before(async () => {
    service = await startSellingService(payable);
    browser = await openBrowser();
    ({ ada, root } = await service.people());
    await service.product(ada, 'jar', { status: 'published', isApproved: true, price: 999_999 });
    const place = (more: Parameters<typeof placeOrder>[2]) =>
      placeOrder(service.parts, 'jar', { way: 'manual', ...more });
    for (let n = 0; n < 51; n++) await place({ email: `buyer${n}@example.com`, name: n % 2 ? `Buyer ${n}` : null });
    await place({ email: `a${'w'.repeat(60)}@example.com`, name: 'Wolfeschlegelsteinhausenbergerdorff'.repeat(2) });
    const { id, licenseKey } = await place({ email: 'a@example.com', name: 'متجر الكعك' });
    await place({ email: 'a@example.com', name: 'متجر الكعك' });
    await service.activate(licenseKey ?? '', 'shop.example.com');
    await service.verify(licenseKey ?? '', 'shop.example.com');
    order = `/selling/live/orders/${id}`;
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const check = (path: string, person = ada) =>
    browser.checkPage(service.url + path, { cookies: person.browser.cookies });

  it('have no fault before there is a customer, and with none that match', async () => {
    for (const path of ['/selling/test/orders/customers', `${live}?q=nobody`]) await check(path);
  });

  it('have no fault with many customers, and with the page after them', async () => {
    for (const path of [live, `${live}?after=buyer7%40example.com`]) await check(path);
  });

  it('have no fault for administrators', () => check('/admin/orders/customers', root));

  it('have no fault on the pages that lead there', async () => {
    for (const path of ['/selling/live/orders', order]) await check(path);
  });
});
