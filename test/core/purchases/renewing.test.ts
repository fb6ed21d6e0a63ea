import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { createManualClock, type ManualClock } from '../../../adapters/node/manual-clock.ts';
import type { Actor } from '../../../core/accounts/role.ts';
import { event } from '../../../core/events/event.ts';
import { grantOf, startPeriod, withPeriod } from '../../../core/licensing/periods.ts';
import type { Offer } from '../../../core/marketplace/offers.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import { defaultTerms } from '../../../core/marketplace/product-terms.ts';
import { createPurchases } from '../../../core/purchases/buying.ts';
import { createCheckout } from '../../../core/purchases/checkout.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { createRenewing } from '../../../core/purchases/renewing.ts';
import { createLearn, createSettleOrder } from '../../../core/purchases/settle.ts';
import type { PaymentSettings } from '../../../core/purchases/ways-to-pay.ts';
import { isRefused } from '../../../core/refusal.ts';
import { day } from '../../../core/time.ts';
import { addUser } from '../../support/backends.ts';
import { by } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { actOn, domain, must, issuedAt as start } from '../../support/license-acts.ts';
import { addForSale, type Bank, createBank, orderPorts } from '../../support/orders.ts';

const addresses = () => ({ done: 'https://a.example/done', cancelled: 'https://a.example/cancelled' });
const client = '192.0.2.7';
const zoe = { email: 'zoe@example.com', name: 'Zoë', client };

const offer = (fields: Partial<Offer> & Pick<Offer, 'slug'>): Offer => ({
  ...{ name: fields.slug, kind: 'once', price: 4_000, maxDomains: 2, duration: { days: 100, from: 'issue' } },
  ...{ updatesMonths: null, entitlements: [], isListed: true },
  ...fields,
});
const solo = offer({ slug: 'solo' });
const more = offer({ slug: 'more', kind: 'renewal', price: 3_000, maxDomains: 1 });
const team = offer({ slug: 'team', kind: 'upgrade', price: 9_000, maxDomains: 10, entitlements: ['team'] });
const trial = offer({ slug: 'try', kind: 'trial', price: 0, duration: { days: 14, from: 'issue' } });

describe('renewing', () => {
  let stores: StoresInMemory;
  let clock: ManualClock;
  let bank: Bank;
  beforeEach(async () => {
    stores = await openStoresInMemory();
    clock = createManualClock(start);
    bank = createBank();
  });
  afterEach(() => stores.close());

  function parts(settings: Partial<PaymentSettings> = { provider: bank }) {
    const ports = { ...orderPorts(stores, bank, clock), limiter: createMemoryRateLimiter(clock) };
    const settle = createSettleOrder(ports);
    const all = { manual: undefined, test: undefined, provider: undefined, takesProvider: true, ...settings };
    const { products, licenses, coupons } = stores;
    return {
      settle,
      learn: createLearn(ports),
      checkout: createCheckout({ ...ports, products, coupons, settings: all, settle }),
      purchases: createPurchases({ ...ports, claim: async () => 0, settings: all, settle }),
      renewing: createRenewing({ ...ports, products, licenses, settings: all }),
    };
  }
  const sold = (fields: Partial<Product> = {}) =>
    addForSale(stores, { price: 5_000, terms: defaultTerms, offers: [solo, more, team], ...fields });
  const licenseOf = async ({ licenseKey, renews }: Order) =>
    must((await stores.licenses.find(must(licenseKey ?? renews ?? undefined)))?.license);
  const pay = async (order: Order) => {
    bank.set(order, { status: 'paid' });
    return must(await parts().settle(order.id));
  };
  const buy = async (product: Product, wanted = 'solo') => {
    const wish = { product: product.slug, offer: wanted, ...zoe };
    const { order } = good(await parts().checkout.begin(wish, undefined, addresses));
    return order.state === 'paid' ? order : await pay(order);
  };
  const begin = async (order: Order, wanted: string | undefined) =>
    good(await parts().renewing.begin(order, { offer: wanted, client }, undefined, addresses)).order;
  const set = async (order: Order, facts: Parameters<Bank['set']>[1]) => {
    bank.set(order, facts);
    return must(await parts().settle(order.id));
  };
  const slugs = async (order: Order) => (await parts().renewing.list(order)).map((one) => one.offer?.slug ?? null);
  const types = async () => (await stores.rows('audit_log')).map(({ type }) => type);

  it('gives the same license more time when the renewal is paid, and takes it off after a refund', async () => {
    const bought = await buy(await sold());
    const { licenseKey } = bought;
    clock.advance(10 * day);
    const order = await begin(bought, 'more');
    expect(order).to.include({ licenseKey: null, renews: licenseKey, state: 'open' });
    expect((await licenseOf(order)).expiresAt, 'not paid').to.equal(start + 100 * day);
    const paid = await pay(order);
    expect(paid).to.include({ state: 'paid', licenseKey: null, renews: licenseKey, number: 2 });
    expect(await licenseOf(order)).to.include({ expiresAt: start + 200 * day, maxDomains: 2, standing: 'active' });
    expect((await stores.mails.list({ limit: 9 })).map(({ kind }) => kind)).to.include('order-renewed');
    expect(await types()).to.include('license.renewed');
    await set(order, { refunded: 3_000 });
    expect(await licenseOf(order)).to.include({ expiresAt: start + 100 * day, standing: 'active' });
    expect((await stores.rows('licenses')).length, 'no other license').to.equal(1);
    expect((await stores.rows('products')).map(({ sold: many }) => many)).to.deep.equal([1]);
  });

  it('stops the license while the payment of the renewal is disputed; a lost dispute takes only its time', async () => {
    const bought = await buy(await sold());
    const order = await pay(await begin(bought, 'more'));
    await set(order, { dispute: 'open' });
    expect(await licenseOf(order)).to.include({ standing: 'suspended', ownStanding: 'active' });
    await set(order, { dispute: 'lost' });
    expect(await licenseOf(order)).to.include({ standing: 'active', ownStanding: null, expiresAt: start + 100 * day });
  });

  it('offers an upgrade whose suggested price is less than what is taken off, at more than that', async () => {
    const give = offer({ slug: 'give', kind: 'upgrade', price: 3_000, leastPrices: { usd: 500 }, maxDomains: 10 });
    const free = offer({ ...give, slug: 'free', leastPrices: { usd: 0 } });
    const bought = await buy(await sold({ offers: [solo, give, free, { ...give, slug: 'fixed', leastPrices: null }] }));
    const quotes = await parts().renewing.list(bought);
    expect(quotes.map((one) => [one.offer?.slug, one.credit, one.product.price, one.suggested])).to.deep.equal([
      ['give', 4_000, 500, 3_000],
      ['free', 4_000, 3_000, 3_000],
    ]);
    const { renewing } = parts();
    expect(await renewing.quote(bought, 'give', undefined, 4_000)).to.include({ reason: 'amount_not_possible' });
    expect(good(await renewing.quote(bought, 'give', undefined, 4_600)).product.price).to.equal(600);
    const order = await pay(await begin(bought, 'give'));
    expect(order.agreed).to.include({ price: 500, suggested: 3_000 });
    expect(await licenseOf(order)).to.include({ maxDomains: 10, standing: 'active' });
  });

  it('keeps a license alive whose first payment is refunded, as long as a renewal was paid', async () => {
    const bought = await buy(await sold());
    clock.advance(10 * day);
    const order = await pay(await begin(bought, 'more'));
    await set(bought, { refunded: 4_000 });
    expect(await licenseOf(order)).to.include({ standing: 'active', expiresAt: start + 110 * day });
    await set(order, { refunded: 3_000 });
    expect(await licenseOf(order)).to.include({ standing: 'revoked' });
  });

  it('takes the unused part off the price of an upgrade, which changes key and domains not at all', async () => {
    const bought = await buy(await sold());
    clock.advance(50 * day);
    const [, quote] = await parts().renewing.list(bought);
    expect(quote).to.deep.include({ kind: 'upgrade', credit: 2_000 });
    expect(must(quote).product.price).to.equal(7_000);
    const order = await begin(bought, 'team');
    expect(order.payment.total).to.equal(7_000);
    await pay(order);
    const after = await licenseOf(order);
    expect(after).to.deep.include({ maxDomains: 10, entitlements: ['team'], expiresAt: start + 150 * day });
    expect(await slugs(bought), 'it has that already').to.deep.equal(['more']);
    // What was taken off was not paid in the end.
    await set(bought, { dispute: 'lost' });
    expect(await licenseOf(order)).to.include({ standing: 'revoked' });
    await set(bought, { dispute: 'won' });
    expect(await licenseOf(order)).to.include({ standing: 'active', maxDomains: 10 });
    await set(order, { refunded: 7_000 });
    const back = { maxDomains: 2, entitlements: [], expiresAt: start + 100 * day };
    expect(await licenseOf(order)).to.deep.include(back);
  });

  it('takes off no more than what was paid, where less than the price was accepted', async () => {
    const bought = await buy(await sold());
    const order = await begin(bought, 'more');
    await set(order, { status: 'paid', subtotal: 200, total: 200 });
    expect(good(must(await parts().learn(order.id, { isAccepted: true }, by)))).to.include({ state: 'paid' });
    const upgrade = async () => must((await parts().renewing.list(bought)).find((one) => one.offer?.slug === 'team'));
    expect((await upgrade()).credit).to.equal(4_200);
    await set(order, { subtotal: 5_000, total: 5_000 });
    expect((await upgrade()).credit, 'more than the price').to.equal(7_000);
  });

  it('sells the license of a trial with its key, and offers no second trial', async () => {
    const longer = offer({ slug: 'longer', kind: 'renewal', price: 100, fromOffer: 'try' });
    const product = await sold({ offers: [trial, solo, more, longer] });
    const tried = await buy(product, 'try');
    expect(await licenseOf(tried)).to.include({ expiresAt: start + 14 * day });
    expect(await slugs(tried), 'a renewal only if it is for trials').to.deep.equal(['solo', 'longer']);
    const again = await parts().checkout.begin({ product: product.slug, offer: 'try', ...zoe }, undefined, addresses);
    expect(again).to.include({ reason: 'already_bought' });
    clock.advance(20 * day);
    const order = await pay(await begin(tried, 'solo'));
    expect(order.renews).to.equal(tried.licenseKey);
    expect(await licenseOf(order)).to.include({ expiresAt: start + 120 * day, standing: 'active' });
    expect(await slugs(tried), 'it is a license of solo now').to.deep.equal(['more']);
  });

  it('sells a trial at the price of the product if that has no offers beside it', async () => {
    const terms = { ...defaultTerms, duration: { days: 365, from: 'issue' } } as const;
    const tried = await buy(await sold({ offers: [trial], terms }), 'try');
    expect(await slugs(tried)).to.deep.equal([null]);
    const all = { expiresAt: start + 365 * day, updatesUntil: null };
    expect(
      (await parts().renewing.list(tried)).map((one) => one.after)[0],
      'all updates, as without a trial',
    ).to.include(all);
    const order = await pay(await begin(tried, undefined));
    expect(order.payment.total).to.equal(5_000);
    expect(await licenseOf(order)).to.include(all);
  });

  it('leads from an order to the license that it renews, but not to one whose trial an account has claimed', async () => {
    const tried = await buy(await sold({ offers: [trial, solo] }), 'try');
    const order = await begin(tried, 'solo');
    const ada = await addUser(stores, 'Ada');
    const bob = await addUser(stores, 'Bob');
    const { purchases } = parts();
    expect(await purchases.originalOf(order, undefined)).to.deep.equal(tried);
    const claimed = await stores.orders.change(tried.id, (before) => ({
      after: { ...before, token: 'new', buyer: { ...before.buyer, userId: ada.id } },
      events: [event('order.claimed', String(before.id), by, start)],
    }));
    expect(await purchases.originalOf(order, ada.id)).to.deep.equal(claimed);
    // A stranger may have had the link of the free order, and opened this one with it.
    expect(await purchases.originalOf(order, undefined)).to.equal(undefined);
    expect(await purchases.originalOf(order, bob.id)).to.equal(undefined);
    expect(await purchases.originalOf(tried, ada.id), 'no renewal').to.equal(undefined);
  });

  it('offers only what fits: to licenses of the named offer, with a use, and nothing to one that is stopped', async () => {
    const only = offer({ slug: 'only', kind: 'renewal', fromOffer: 'team' });
    const months = offer({ slug: 'months', kind: 'renewal', duration: null, updatesMonths: 12 });
    const hidden = offer({ slug: 'hidden', kind: 'renewal', isListed: false });
    const bought = await buy(await sold({ offers: [solo, only, months, hidden, team] }));
    expect(await slugs(bought), 'the license has updates as long as it runs').to.deep.equal(['months', 'team']);
    expect(await parts().renewing.quote(bought, 'only')).to.include({ reason: 'offer_not_found' });
    expect(isRefused(await parts().renewing.quote(bought, 'hidden'))).to.equal(false);
    await stores.licenses.change(must(bought.licenseKey ?? undefined), undefined, (before) => ({
      license: { ...before, standing: 'suspended' },
      event: event('license.suspended', before.key, by, start),
    }));
    expect(await slugs(bought)).to.deep.equal([]);
  });

  it('offers no upgrade to fewer domains than are in use', async () => {
    const small = offer({ slug: 'small', kind: 'upgrade', price: 9_000, maxDomains: 1 });
    const bought = await buy(await sold({ offers: [solo, small] }));
    const acts = actOn(stores.licenses);
    const key = must(bought.licenseKey ?? undefined);
    await acts.activate(key, domain('a.example'), start);
    expect(await slugs(bought)).to.deep.equal(['small']);
    await acts.activate(key, domain('b.example'), start);
    expect(await slugs(bought)).to.deep.equal([]);
  });

  it('gives no time with the terms of an upgrade for a renewal of the offer before, and takes it off the next price', async () => {
    const cheap = offer({ slug: 'cheap', kind: 'renewal', price: 1_000, fromOffer: 'solo' });
    const big = offer({ slug: 'big', kind: 'upgrade', price: 20_000, maxDomains: 99 });
    const bought = await buy(await sold({ offers: [solo, cheap, team, big] }));
    const opened = await begin(bought, 'cheap');
    const upgrade = await pay(await begin(bought, 'team'));
    await pay(opened);
    expect(await licenseOf(bought)).to.include({ maxDomains: 10, expiresAt: start + 100 * day });
    const credit = async () => (await parts().renewing.list(bought)).find((one) => one.offer?.slug === 'big')?.credit;
    expect(await credit(), 'the upgrade and the renewal').to.equal(10_000);
    await set(upgrade, { refunded: upgrade.payment.total });
    expect(await licenseOf(bought), 'it fits again').to.include({ maxDomains: 2, expiresAt: start + 200 * day });
  });

  it('keeps what the seller has set by hand, also if the renewal before is refunded', async () => {
    const bought = await buy(await sold());
    const one = await pay(await begin(bought, 'more'));
    await stores.licenses.change(must(bought.licenseKey ?? undefined), undefined, (before) => ({
      license: { ...before, expiresAt: start + 999 * day },
      event: event('license.renewed', before.key, by, start),
    }));
    const two = await pay(await begin(bought, 'more'));
    expect((await licenseOf(two)).expiresAt).to.equal(start + 1_099 * day);
    await set(one, { refunded: 3_000 });
    expect((await licenseOf(two)).expiresAt).to.equal(start + 1_099 * day);
    await set(two, { refunded: 3_000 });
    expect((await licenseOf(two)).expiresAt).to.equal(start + 999 * day);
  });

  it('counts a guest with the link as a guest, who cannot use up the allowance of the member', async () => {
    const bought = await buy(await sold());
    const { id } = await addUser(stores, 'Zoe');
    const order = { ...bought, buyer: { ...bought.buyer, userId: id } };
    const { renewing } = parts();
    const zoes: Actor = {
      kind: 'user',
      user: { id, email: zoe.email, role: null, suspendedAt: null },
    };
    const wish = (n: number) => ({ offer: 'more', client: `192.0.2.${n}` });
    const guests: unknown[] = [];
    for (let n = 0; n < 80; n++) guests.push(await renewing.begin(order, wish(n), undefined, addresses));
    expect(guests.filter((one) => !isRefused(one))).to.have.lengthOf(30);
    expect(guests.at(-1)).to.include({ reason: 'too_many_attempts' });
    for (let n = 0; n < 60; n++) good(await renewing.begin(order, wish(99 + (n % 3)), zoes, addresses));
    expect(await renewing.begin(order, wish(200), zoes, addresses)).to.include({ reason: 'too_many_attempts' });
  });

  it('computes the license from its periods alone', async () => {
    const bought = await buy(await sold());
    const order = await pay(await begin(bought, 'more'));
    const periods = await stores.orders.periodsOf(must(bought.licenseKey ?? undefined));
    expect(periods.map(({ cause, standing, worth }) => ({ cause, standing, worth }))).to.deep.equal([
      { cause: `order:${bought.id}`, standing: 'paid', worth: 4_000 },
      { cause: `order:${order.id}`, standing: 'paid', worth: 3_000 },
    ]);
    const license = await licenseOf(order);
    const { expiresAt, updatesUntil, maxDomains, entitlements } = license;
    expect(grantOf(periods)).to.deep.equal({ expiresAt, updatesUntil, maxDomains, entitlements });
    const last = must(periods.at(-1));
    expect(withPeriod(license, periods, last)).to.deep.equal({ license, periods });
    expect(startPeriod(license).cause).to.equal(`issue:${license.key}`);
  });
});
