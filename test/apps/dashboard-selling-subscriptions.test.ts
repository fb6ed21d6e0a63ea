import { t } from '../../apps/wiring/tokens.ts';
import { monthsAfter } from '../../core/licensing/ends.ts';
import { day } from '../../core/time.ts';
import { type SellingService, startSellingService } from '../adapters/http/account/selling-service.ts';
import type { Person } from '../adapters/http/dashboard/dashboard-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { operator } from '../support/by.ts';
import { must } from '../support/license-acts.ts';
import { monthly, payable, placeOrder } from '../support/placed-orders.ts';
import { needing } from '../support/required-service.ts';

const orders = '/selling/live/orders';
const live = `${orders}/subscriptions`;
const longText = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3);

needing(chromium.skip).describe('the pages of subscriptions for sellers in a browser', () => {
  let service: SellingService;
  let browser: TestBrowser;
  let ada: Person;
  let root: Person;
  const paths: Record<'running' | 'cancelled' | 'late' | 'ended' | 'payment', string> = {
    running: '',
    cancelled: '',
    late: '',
    ended: '',
    payment: '',
  };
  before(async () => {
    service = await startSellingService(payable);
    browser = await openBrowser();
    ada = await service.signedInUser({ name: 'Ada' });
    root = await service.signedInUser({ name: 'Root', role: 'admin' });
    const terms = { status: 'published', isApproved: true } as const;
    const yearly = {
      ...monthly,
      slug: 'yearly',
      name: longText.slice(0, 60),
      price: 1_234_567,
      recurs: { months: 12, graceDays: 7, perpetualAfter: 12 },
    };
    await service.product(ada, 'jar', { ...terms, title: longText, offers: [yearly] });
    await service.product(ada, 'cup', { ...terms, title: 'متجر الكعك', offers: [monthly] });
    const place = (slug: string, more: Parameters<typeof placeOrder>[2] = {}) =>
      placeOrder(service.parts, slug, { offer: slug === 'jar' ? 'yearly' : 'monthly', way: 'manual', ...more });
    const settle = await service.parts.get(t.settleOrder);
    const pass = (days: number) => service.clock.set(monthsAfter(1, service.clock.now()) + days * day);
    const path = ({ id }: { readonly id: number }) => `${orders}/${id}`;
    const ended = await place('cup');
    pass(8);
    await settle(ended.id);
    const late = await place('cup', { name: 'غريس' });
    pass(1);
    await settle(late.id);
    const email = `${'w'.repeat(60)}@example.com`;
    const running = await place('jar', { email, name: longText });
    const cancelled = await place('jar');
    const subscriptions = await service.parts.get(t.sellerSubscriptions);
    await subscriptions.cancel(String(cancelled.id), { actor: operator, mode: 'live' });
    for (let n = 0; n < 20; n++) await place('cup', { email: `buyer${n}@example.com` });
    const store = await service.parts.get(t.orderStore);
    const [payment] = await store.cyclesOf(late.id);
    const found = { running, cancelled, late, ended, payment: must(payment) };
    for (const [name, order] of Object.entries(found)) Object.assign(paths, { [name]: path(order) });
    for (const person of [ada, root]) await service.signIn(person.browser, person);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const check = (path: string, more: Parameters<TestBrowser['checkPage']>[1] = {}) =>
    browser.checkPage(service.url + path, { cookies: ada.browser.cookies, ...more });

  it('have no fault before there is one', () => check('/selling/test/orders/subscriptions'));

  it('have no fault as a list, and with none that match', async () => {
    for (const path of [live, `${live}?state=paused&q=nobody`]) await check(path);
  });

  it('have no fault with each state, and with a later payment', async () => {
    for (const path of Object.values(paths)) await check(path);
  });

  it('have no fault as forms, and while an act is not possible', async () => {
    for (const path of [`${paths.running}/unsubscribe`, `${paths.cancelled}/resume`, `${paths.ended}/resume`]) {
      await check(path);
    }
  });

  it('have no fault with the monthly revenue', () => check(`${orders}/revenue`, { complete: '.graph canvas' }));

  it('have no fault for administrators', async () => {
    for (const path of ['/admin/orders/subscriptions', '/admin/orders']) {
      await check(path, { cookies: root.browser.cookies });
    }
  });
});
