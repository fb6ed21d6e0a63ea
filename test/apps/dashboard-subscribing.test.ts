import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { t } from '../../apps/wiring/tokens.ts';
import type { Offer } from '../../core/marketplace/offers.ts';
import type { Order } from '../../core/purchases/order.ts';
import { day } from '../../core/time.ts';
import { type SellingService, startSellingService } from '../adapters/http/account/selling-service.ts';
import { chromium, openBrowser, type TestBrowser } from '../support/browser.ts';
import { must } from '../support/license-acts.ts';
import { needing } from '../support/required-service.ts';
import { type StripeDouble, startStripeDouble } from '../support/stripe-double/stripe-double.ts';

const onSale = { thumbnail: null, status: 'published', archivedAt: null, price: 4900, sellerName: 'Ada & Co' } as const;
const offer = (slug: string, more: Partial<Offer> = {}): Offer => ({
  ...{ slug, name: `The ${slug} offer`, kind: 'subscription', price: 900, maxDomains: 3, duration: null },
  ...{ updatesMonths: null, entitlements: [], isListed: true },
  recurs: { months: 1, graceDays: 7, perpetualAfter: null },
  ...more,
});
const offers = [
  offer('monthly'),
  offer('small', { price: 400, maxDomains: 1 }),
  offer('team', { price: 2_900, name: 'x'.repeat(60), maxDomains: 1_000_000, entitlements: ['team'] }),
  offer('yearly', { price: 9_000, recurs: { months: 12, graceDays: 30, perpetualAfter: 12 } }),
];

const press = (page: Page, selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);
const partOf = (page: Page) => page.$eval('#subscription', (part) => (part as HTMLElement).innerText);

needing(chromium.skip).describe('subscriptions on the pages of buyers in a browser', () => {
  let service: SellingService;
  let browser: TestBrowser;
  before(async () => {
    service = await startSellingService({ PAYMENTS_URL: 'test:demo,manual:', PAYMENT_INSTRUCTIONS: 'To IBAN DE12' });
    await service.product(null, 'board', { ...onSale, title: 'Vesting Board', version: '1', offers });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const check = (path: string, more: Parameters<TestBrowser['checkPage']>[1] = {}) =>
    browser.checkPage(service.url + path, more);
  const orderAt = async (path: string) => {
    const store = await service.parts.get(t.orderStore);
    return must(await store.findByToken(/[0-9a-z]{24}/.exec(path)?.[0] ?? ''));
  };
  const look = async ({ id }: Pick<Order, 'id'>) => must(await (await service.parts.get(t.settleOrder))(id));
  /** Subscribes as a guest without scripts. */
  async function subscribed(wanted = 'monthly', way = 'test') {
    const guest = service.browser();
    const email = `buyer-${Math.random()}@example.com`;
    const { location = '' } = await guest.fill(`/marketplace/board/buy?offer=${wanted}`, { email, way });
    const path = location.replace('/pay', '');
    if (way === 'test') await guest.post(`${path}/pay/pay`, {});
    return { guest, path };
  }

  it('have no fault from the offers to the license, and say what is paid now and what later', async () => {
    await check('/marketplace/board');
    await check('/marketplace/board/buy?offer=monthly');
    await check('/marketplace/board/buy?offer=yearly');
    const { guest, path } = await subscribed();
    const buying = await guest.get('/marketplace/board/buy?offer=monthly');
    expect(buying.text).to.include('To pay now').and.to.include('Then $9.00 every month, until you cancel.');
    await check(path);
    const page = await guest.get(path);
    for (const text of ['The monthly offer', '$9.00 every month', 'Next payment', 'Change your subscription']) {
      expect(page.text).to.include(text);
    }
  });

  it('are cancelled after a question, taken back and changed, by a keyboard and without scripts', async () => {
    const { path } = await subscribed();
    await check(`${path}/unsubscribe`);
    const page = await browser.newPage();
    try {
      await page.goto(service.url + path);
      await press(page, '#subscription a.danger');
      await press(page, '.submit > button');
      expect(await partOf(page)).to.include('It is cancelled. Nothing more is to be paid.');
      await check(path);
      await press(page, '#subscription form button');
      expect(await partOf(page)).to.include('Next payment');
      await press(page, '#renew a[href$="offer=small"]');
      await check(`${path}/renew?offer=small`);
      await press(page, '.submit > button');
      expect(await partOf(page)).to.include('The small offer, $4.00 every month');
      await check(path);
    } finally {
      await page.close();
    }
  });

  it('ask a buyer who changes the next payment too often to wait, and do not say that the offer is gone', async () => {
    const { guest, path } = await subscribed('monthly');
    const change = async (turn: number) =>
      guest.fill(`${path}/renew?offer=${turn % 2 === 0 ? 'small' : 'monthly'}`, {});
    let answer = await change(0);
    for (let turn = 1; answer.status === 303 && turn < 100; turn++) answer = await change(turn);
    expect(answer.status).to.equal(429);
  });

  it('are changed to a dearer offer at once, less what is unused', async () => {
    const { guest, path } = await subscribed();
    service.clock.advance(15 * day);
    await check(`${path}/renew?offer=team`);
    const asked = await guest.fill(`${path}/renew?offer=team`, { way: 'test' });
    const upgrade = String(asked.location);
    await guest.post(`${upgrade}/pay`, {});
    expect((await guest.get(path)).text)
      .to.include('$29.00 every month')
      .and.to.include('1,000,000');
    await check(path);
    await check(upgrade.replace('/pay', ''));
  });

  it('ask for the next payment here, say that it is late, and that they have ended', async () => {
    const { guest, path } = await subscribed('monthly', 'test');
    const { paidTo } = must((await orderAt(path)).subscription ?? undefined);
    service.clock.set(paidTo - 6 * day);
    await look(await orderAt(path));
    await check(path);
    const due = must(/([0-9a-z]{24})"[^>]*>Pay \$9\.00/.exec((await guest.get(path)).html)?.[1]);
    await check(`/orders/${due}`);
    service.clock.set(paidTo + day);
    await look(await orderAt(path));
    expect((await guest.get(path)).text).to.include('The last payment did not come in.');
    await check(path);
    await guest.post(`/orders/${due}/pay/pay`, {});
    await look(await orderAt(path));
    expect((await guest.get(path)).text).to.include('Next payment');
    const { paidTo: next } = must((await orderAt(path)).subscription ?? undefined);
    expect(next).to.be.greaterThan(paidTo);
    service.clock.set(next + 8 * day);
    await look(await orderAt(path));
    const ended = await guest.get(path);
    expect(ended.text).to.include('It has ended.').and.to.include('Subscribe for $9.00');
    await check(path);
    await check(`${path}/renew?offer=monthly`);
  });

  it('tell how to pay the next time by hand', async () => {
    const { path } = await subscribed('monthly', 'manual');
    await check(path);
  });

  it('404 and 303 for what is not there: no subscription, no page for cards', async () => {
    const { guest, path } = await subscribed();
    expect((await guest.get(`${path}/card`)).status).to.equal(303);
    await service.product(null, 'plain', { ...onSale, title: 'Plain' });
    const email = 'plain@example.com';
    const { location = '' } = await guest.fill('/marketplace/plain/buy', { email, way: 'test' });
    const plain = location.replace('/pay', '');
    for (const end of ['unsubscribe', 'card']) expect((await guest.get(`${plain}/${end}`)).status).to.equal(404);
  });
});

needing(chromium.skip).describe('subscribing at an imitation of Stripe in a browser', () => {
  let stripe: StripeDouble;
  let service: SellingService;
  let browser: TestBrowser;
  before(async () => {
    stripe = await startStripeDouble({ clock: { now: () => service.clock.now() } });
    service = await startSellingService(stripe.settings);
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    await stripe?.[Symbol.asyncDispose]();
  });

  it('leads there and back, to the page for cards, and through a payment that failed', async () => {
    const ada = await service.signedInUser();
    await service.product(ada, 'board', { ...onSale, title: 'Board', isLive: false, offers });
    const page = await browser.newPage();
    try {
      const { hostname } = new URL(service.url);
      for (const [name, value] of ada.browser.cookies) await page.setCookie({ name, value, domain: hostname });
      await page.goto(`${service.url}/marketplace/board/buy?offer=monthly`);
      await press(page, '.submit > button');
      expect(page.url()).to.include(`${stripe.url}/c/pay/`);
      await press(page, 'button[value=pay]');
      expect(await partOf(page)).to.include('It renews by itself. You can cancel at any time.');
      const order = page.url();
      await browser.checkPage(order, { cookies: ada.browser.cookies });
      await press(page, '#subscription a[href$="/card"]');
      expect(stripe.account.billing.portals).to.deep.equal([page.url()]);
      await press(page, 'a');
      expect(page.url()).to.include('/orders/');

      const [id = ''] = [...stripe.account.billing.subscriptions.keys()];
      service.clock.advance(31 * day);
      stripe.account.billing.bill(id, 'fails');
      const store = await service.parts.get(t.orderStore);
      const root = must(await store.findByToken(/[0-9a-z]{24}/.exec(order)?.[0] ?? ''));
      await (await service.parts.get(t.settleOrder))(root.id);
      await page.reload();
      expect(await partOf(page)).to.include('The last payment did not come in. Your license works until');
      expect(await page.$eval('#subscription a.primary', (a) => a.getAttribute('href'))).to.include('/i/in_');
      await browser.checkPage(order, { cookies: ada.browser.cookies });
      await press(page, '#subscription a.danger');
      await press(page, '.submit > button');
      expect(await partOf(page)).to.include('It has ended.');
    } finally {
      await page.close();
    }
  });
});
