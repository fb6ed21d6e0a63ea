import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { orderLimits } from '../../../../core/purchases/order-limits.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { type StripeDouble, startStripeDouble } from '../../../support/stripe-double/stripe-double.ts';
import type { WebAnswer } from '../../../support/web-client.ts';
import type { Person } from '../dashboard/dashboard-service.ts';
import { type SellingService, startSellingService } from './selling-service.ts';

const tokenOf = ({ location = '' }: WebAnswer) => /^\/orders\/([0-9a-z]{24})/.exec(location)?.[1] ?? '';
const onSale = { status: 'published', archivedAt: null, price: 4900 } as const;

describe('purchases of an account', () => {
  let service: SellingService;
  let slugs = 0;
  before(async () => {
    service = await startSellingService({ PAYMENTS_URL: 'test:demo' });
  });
  beforeEach(() => service.clock.advance(24 * 3_600_000));
  after(() => service.close());

  const product = async (title = 'Swap', price: number = onSale.price) => {
    slugs++;
    return (await service.product(null, `sold-${slugs}`, { ...onSale, price, title })).slug;
  };
  const titles = async ({ browser }: Person, path = '/account/purchases') => {
    const page = await browser.get(path);
    // The links to the orders themselves, and not those to downloads and invoices.
    return page.links.filter(({ href }) => /orders\/[0-9a-z]{24}$/.test(href)).map(({ text }) => text);
  };
  const asGuest = async (slug: string, email: string) =>
    tokenOf(await service.browser().fill(`/marketplace/${slug}/buy`, { email }));

  const pay = async (token: string) => {
    await service.browser().post(`/orders/${token}/pay/pay`, {});
    return token;
  };

  itLong('list what a member bought, newest first, and lead to the orders', async () => {
    const ada = await service.signedInUser({ name: 'Ada' });
    const bob = await service.signedInUser();
    const page = await ada.browser.get(`/marketplace/${await product('First')}/buy`);
    expect([page.text.includes(ada.email), page.forms.some(({ names }) => names.includes('email'))]).to.deep.equal([
      true,
      false,
    ]);
    const token = tokenOf(await ada.browser.submit(page));
    await ada.browser.post(`/orders/${token}/pay/pay`, {});
    await ada.browser.fill(`/marketplace/${await product('Second', 0)}/buy`, {});
    expect(await titles(ada)).to.deep.equal(['Second', 'First']);
    expect(await titles(bob)).to.deep.equal([]);
    expect((await bob.browser.get('/account/purchases')).text).to.include('not bought anything yet');
    const order = await ada.browser.get(`/orders/${token}`);
    expect(order.links.some(({ href, text }) => href.endsWith('account/purchases') && text === 'Purchases')).to.equal(
      true,
    );
    expect(order.text).to.include(`Ada, ${ada.email}`);
    expect((await service.letters(ada.email)).filter(({ kind }) => kind === 'order-paid')).to.have.lengthOf(2);
  });

  it('need somebody who is signed in: 303 for others, 404 for an unknown place', async () => {
    const answer = await service.browser().get('/account/purchases');
    expect([answer.status, answer.location]).to.deep.equal([303, '/sign-in?next=%2Faccount%2Fpurchases']);
    const { browser } = await service.signedInUser();
    expect((await browser.get('/account/purchases?after=wrong')).status).to.equal(404);
  });

  itLong('ignore the address that a member sends: the key goes to that of the account', async () => {
    const ada = await service.signedInUser();
    const page = await ada.browser.get(`/marketplace/${await product('Mine', 0)}/buy`);
    const { once = [''] } = page.forms.find(({ values }) => values.once)?.values ?? {};
    await ada.browser.post(page.path, { once, email: 'stranger@example.com' });
    expect(await service.letters('stranger@example.com')).to.deep.equal([]);
    expect((await service.letters(ada.email)).map(({ kind }) => kind)).to.include('order-paid');
  });

  itLong('contain paid orders of guests with the same address, once it is verified', async () => {
    const slug = await product('Guest');
    const unverified = await service.account();
    const paid = async (email: string) => pay(await asGuest(slug, email));
    await paid('later@example.com');
    await asGuest(slug, 'later@example.com');
    await paid(unverified.user.email);
    await paid('other@example.com');
    const list = async (path = '/api/purchases') => (await unverified.get(path)).body;
    expect(await list()).to.deep.equal({ success: true, data: [], next_cursor: null });
    const later = await service.signedInUser({ email: 'later@example.com' });
    expect(await titles(later)).to.deep.equal(['Guest']);
    const log = await service.parts.get(t.auditLog);
    const events = await log.list({ type: 'order.claimed', limit: 100 });
    expect(events.map(({ actor }) => actor)).to.deep.equal(['later@example.com']);
  });

  itLong(
    'take a free order away from the stranger who typed the address, and leave a paid one where it was',
    async () => {
      const email = 'robbed@example.com';
      const free = await asGuest(await product('Free', 0), email);
      const paid = await pay(await asGuest(await product('Paid'), email));
      expect((await service.browser().get(`/orders/${free}`)).status).to.equal(200);
      const robbed = await service.signedInUser({ email });
      expect(await titles(robbed)).to.deep.equal(['Paid', 'Free']);
      const page = await robbed.browser.get('/account/purchases');
      const [{ href } = { href: '' }] = page.links.filter(({ text }) => text === 'Free');
      expect((await robbed.browser.get(new URL(href, 'http://site/account/purchases').pathname)).status).to.equal(200);
      expect((await service.browser().get(`/orders/${free}`)).status).to.equal(404);
      expect((await service.browser().get(`/orders/${paid}`)).status).to.equal(200);
    },
  );

  itLong('are listed by the API with keys, amounts and links, in pages', async () => {
    const ada = await service.signedInUser();
    const user = good(await service.accounts.find(ada.email));
    const key = await service.keyOf(user, { scopes: ['purchases:read'] });
    const slug = await product('Paid');
    const token = tokenOf(await ada.browser.fill(`/marketplace/${slug}/buy`, {}));
    await ada.browser.post(`/orders/${token}/pay/pay`, {});
    await ada.browser.fill(`/orders/${token}/pay`, { amount: '9' });
    await ada.browser.fill(`/marketplace/${slug}/buy`, {});
    const first = (await key.get('/api/purchases', { limit: '1' })).body as Record<string, unknown>;
    expect((first.data as object[])[0]).to.deep.include({ state: 'open', license_key: null, receipt_url: null });
    const { body } = await key.get('/api/purchases', { cursor: String(first.next_cursor) });
    const [paid] = (body as { data: Record<string, unknown>[] }).data;
    expect(paid).to.deep.include({ state: 'partly_refunded', currency: 'usd', total: 4900, refunded: 900 });
    expect([paid?.livemode, paid?.provider, String(paid?.license_key).slice(0, 4)]).to.deep.equal([
      true,
      'test',
      'LIC-',
    ]);
    expect(new URL(String(paid?.order_url)).pathname).to.equal(`/orders/${token}`);
    expect((await service.browser().get(new URL(String(paid?.receipt_url)).pathname)).status).to.equal(200);
    expect((await key.get('/api/purchases', { cursor: 'wrong' })).status).to.equal(422);
    const none = await service.keyOf(user, { scopes: ['orders:read'] });
    expect((await none.get('/api/purchases')).status).to.equal(403);
  });

  itLong('end with the suspension of the account, but the link of an order still works', async () => {
    const ada = await service.signedInUser();
    const slug = await product('Kept', 0);
    const token = tokenOf(await ada.browser.fill(`/marketplace/${slug}/buy`, {}));
    const users = await service.parts.get(t.userAdministration);
    const suspended = await users.suspend(ada.email, operator);
    expect(isRefused(suspended)).to.equal(false);
    expect((await ada.browser.get('/account/purchases')).status).to.equal(303);
    expect((await service.browser().get(`/orders/${token}`)).text).to.include('Kept');
  });

  itLong('limit the orders of guests for one address and from one client: 429, and no mail to strangers', async () => {
    const [{ limit: most }] = orderLimits.byEmailFromClient;
    const slug = await product('Many');
    const path = `/marketplace/${slug}/buy`;
    // In one browser, the same form leads to the same order.
    const fill = (email: string) => service.browser().fill(path, { email });
    const statuses: number[] = [];
    for (let n = 0; n <= most; n++) statuses.push((await fill('many@example.com')).status);
    expect(statuses).to.deep.equal([...Array.from({ length: most }, () => 303), 429]);
    const refused = await fill('many@example.com');
    expect(Number(refused.headers.get('Retry-After'))).to.be.within(1, 3600);
    const [{ limit: all }] = orderLimits.byClient;
    for (let n = most; n < all; n++) await fill(`many${n}@example.com`);
    expect((await fill('last@example.com')).status).to.equal(429);
    const ada = await service.signedInUser();
    expect((await ada.browser.fill(path, {})).status).to.equal(429);
  });
});

describe('buying at Stripe', () => {
  let stripe: StripeDouble;
  let service: SellingService;
  let ada: Person;
  before(async () => {
    stripe = await startStripeDouble({ clock: { now: () => service.clock.now() } });
    service = await startSellingService(stripe.settings);
    ada = await service.signedInUser();
    await service.product(ada, 'swap', { ...onSale, title: 'Swap', isLive: false });
  });
  beforeEach(() => service.clock.advance(3_600_000));
  after(async () => {
    await service?.close();
    await stripe?.[Symbol.asyncDispose]();
  });

  /** Orders the product, and returns the address of the provider's page. */
  const begin = async () => (await ada.browser.fill('/marketplace/swap/buy', {})).headers.get('Location') ?? '';
  const at = async (payAt: string, act: string) => {
    const answer = await fetch(payAt, { method: 'POST', body: new URLSearchParams({ act }), redirect: 'manual' });
    const { pathname, search } = new URL(answer.headers.get('Location') ?? '');
    return pathname + search;
  };
  /** The path of the newest order. */
  const newest = async () => `/orders/${(await service.rows('orders')).at(-1)?.token}`;

  itLong('lead to the page of Stripe, which the policy of this page alone allows', async () => {
    const page = await ada.browser.get('/marketplace/swap/buy');
    expect(page.headers.get('Content-Security-Policy')).to.include(`form-action 'self' ${stripe.url};`);
    expect(page.text).to.include('test mode');
    const answer = await ada.browser.submit(page);
    expect([answer.status, answer.headers.get('Location')?.startsWith(`${stripe.url}/c/pay/`)]).to.deep.equal([
      303,
      true,
    ]);
    const order = await ada.browser.get(await newest());
    expect(order.headers.get('Content-Security-Policy')).to.include("form-action 'self';");
    expect(order.text).to.include('Not paid yet');
  });

  itLong('show the key at once to a buyer who comes back, before any event', async () => {
    const back = await at(await begin(), 'pay');
    const page = await ada.browser.get(back);
    expect(page.html).to.match(/LIC-[0-9A-Z-]{19}/);
    expect((await ada.browser.get(await newest())).text).to.include('Paid');
  });

  itLong('wait for a slow payment: the page looks again by itself, and says what it waits for', async () => {
    const back = await at(await begin(), 'slow');
    const page = await ada.browser.get(back);
    expect(page.text).to.include('Payment on its way').and.to.include('We wait for the answer of the bank');
    expect(page.html).to.include('<noscript><meta http-equiv="refresh" content="8"');
    const state = await ada.browser.get(`${await newest()}/state`);
    expect([state.html, state.headers.get('Cache-Control')]).to.deep.equal(['processing', 'no-store']);
  });

  itLong('lead back to the same payment after a break', async () => {
    const payAt = await begin();
    const path = await newest();
    const page = await ada.browser.get(path);
    expect(page.links.some(({ text }) => text === 'Go on to the payment')).to.equal(true);
    expect((await ada.browser.get(`${path}/continue`)).headers.get('Location')).to.equal(payAt);
    await at(payAt, 'pay');
    const after = await ada.browser.get(`${path}/continue`);
    expect(after.location).to.equal(path);
    expect((await ada.browser.get(path)).html).to.match(/LIC-[0-9A-Z-]{19}/);
  });

  itLong('say so if there is no way to pay for a product: 200, and 422 for an order', async () => {
    await service.product(ada, 'live', { ...onSale, title: 'Live' });
    const page = await ada.browser.get('/marketplace/live/buy');
    expect([page.status, page.text.includes('has no way to pay for it yet')]).to.deep.equal([200, true]);
    expect(page.forms.some(({ names }) => names.includes('name'))).to.equal(false);
    const once = '11111111-1111-4111-8111-111111111111';
    const sent = await ada.browser.post('/marketplace/live/buy', { once });
    expect([sent.status, sent.text.includes('LIC-')]).to.deep.equal([422, false]);
    expect((await ada.browser.post('/marketplace/live/buy', { once, way: 'test' })).status).to.equal(422);
  });

  itLong('say that nothing was paid if Stripe cannot be reached: 503, and the same form works later', async () => {
    const page = await ada.browser.get('/marketplace/swap/buy');
    stripe.failNext('/v1/checkout/sessions', 'busy');
    const failed = await ada.browser.submit(page);
    expect([failed.status, failed.alert]).to.deep.equal([
      503,
      'The payment service cannot be reached at the moment. Nothing was paid. Try again in a minute, or choose another way to pay.',
    ]);
    expect((await ada.browser.submit(failed)).status).to.equal(303);
  });
});
