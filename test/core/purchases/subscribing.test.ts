import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { createManualClock, type ManualClock } from '../../../adapters/node/manual-clock.ts';
import { monthsAfter } from '../../../core/licensing/ends.ts';
import type { Offer } from '../../../core/marketplace/offers.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import { createPurchases } from '../../../core/purchases/buying.ts';
import { createCheckout } from '../../../core/purchases/checkout.ts';
import type { Order, Provider } from '../../../core/purchases/order.ts';
import { createRenewing } from '../../../core/purchases/renewing.ts';
import { createLearn, createSettleOrder } from '../../../core/purchases/settle.ts';
import { createSubscribing } from '../../../core/purchases/subscribing.ts';
import type { PaymentSettings } from '../../../core/purchases/ways-to-pay.ts';
import { day } from '../../../core/time.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { by } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { actOn, domain, must, issuedAt as start } from '../../support/license-acts.ts';
import { addForSale, type Bank, createBank, orderPorts } from '../../support/orders.ts';

const addresses = () => ({ done: 'https://a.example/done', cancelled: 'https://a.example/cancelled' });
const client = '192.0.2.7';
const zoe = { email: 'zoe@example.com', name: 'Zoë', client };

const offer = (fields: Partial<Offer> & Pick<Offer, 'slug'>): Offer => ({
  ...{ name: fields.slug, kind: 'subscription', price: 1_000, maxDomains: 3, duration: null, updatesMonths: null },
  ...{ entitlements: [], isListed: true, recurs: { months: 1, graceDays: 7, perpetualAfter: null } },
  ...fields,
});
const monthly = offer({ slug: 'monthly' });
const small = offer({ slug: 'small', price: 400, maxDomains: 1 });
const team = offer({ slug: 'team', price: 5_000, maxDomains: 20, entitlements: ['team'] });
const kept = offer({ slug: 'kept', recurs: { months: 1, graceDays: 3, perpetualAfter: 3 } });

describe('subscriptions', () => {
  let stores: StoresInMemory;
  let clock: ManualClock;
  let bank: Bank;
  beforeEach(async () => {
    stores = await openStoresInMemory();
    clock = createManualClock(start);
    bank = createBank();
  });
  afterEach(() => stores.close());

  function parts(settings: Partial<PaymentSettings> = {}) {
    const all = {
      manual: { instructions: 'To IBAN 1' },
      test: 'all products',
      provider: bank,
      takesProvider: true,
    } as const;
    const merged: PaymentSettings = { ...all, ...settings };
    const ports = { ...orderPorts(stores, bank, clock), settings: merged, limiter: createMemoryRateLimiter(clock) };
    const settle = createSettleOrder(ports);
    const { products, licenses, coupons } = stores;
    return {
      settle,
      learn: createLearn(ports),
      checkout: createCheckout({ ...ports, products, coupons, settle }),
      purchases: createPurchases({ ...ports, claim: async () => 0, settle }),
      renewing: createRenewing({ ...ports, products, licenses }),
      subscribing: createSubscribing({ ...ports, settle }),
    };
  }
  const sold = (fields: Partial<Product> = {}) =>
    addForSale(stores, { offers: [monthly, small, team, kept], ...fields });
  const order = async (wanted: string, way: Provider) => {
    const product = await sold();
    const wish = { product: product.slug, offer: wanted, way, ...zoe };
    return good(await parts().checkout.begin(wish, undefined, addresses)).order;
  };
  const look = async ({ id }: Pick<Order, 'id'>) => must(await parts().settle(id));
  const subscribe = async (wanted = 'monthly') => {
    const made = await order(wanted, 'stripe');
    const id = bank.subscribe(made);
    return { root: await look(made), id };
  };
  const byHand = async (wanted = 'monthly') => await pay(await order(wanted, 'manual'));
  const pay = async ({ id }: Pick<Order, 'id'>) => {
    good(await parts().learn(id, ({ payment }) => ({ payment: { ...payment, status: 'paid' } }), by));
    return await look({ id });
  };
  const license = async ({ licenseKey, renews }: Order) =>
    must((await stores.licenses.find(must(licenseKey ?? renews ?? undefined)))?.license);
  const letters = async () => (await stores.mails.list({ limit: 99 })).map(({ kind }) => kind).reverse();
  const happened = async () =>
    (await stores.rows('audit_log')).map(({ type }) => String(type)).filter((type) => type.startsWith('subscription.'));
  const month = (n: number) => monthsAfter(n, start);

  describe('at a provider', () => {
    it('begins with the first payment: the license runs for the interval and the grace, its updates without the grace', async () => {
      const { root } = await subscribe();
      expect(await license(root)).to.include({ expiresAt: month(1) + 7 * day, updatesUntil: month(1), maxDomains: 3 });
      expect(root.subscription).to.include({ id: `sub-${root.id}`, status: 'active', paidTo: month(1) });
      expect(await happened()).to.deep.equal(['subscription.started']);
    });

    it('makes an order of each payment that is collected, once', async () => {
      const { root, id } = await subscribe();
      clock.advance(31 * day);
      bank.collect(id, { price: 1_000, from: month(1), to: month(2) });
      const looks = await Promise.all([look(root), look(root), look(root)]);
      await look(root);
      expect(await license(root)).to.include({ expiresAt: month(2) + 7 * day, updatesUntil: month(2) });
      const cycles = await stores.orders.cyclesOf(root.id);
      expect(cycles.map(({ state, renews, number }) => ({ state, renews, number }))).to.deep.equal([
        { state: 'paid', renews: root.licenseKey, number: 2 },
      ]);
      expect(must(looks[0]).subscription).to.include({ paidTo: month(2), status: 'active' });
    });

    it('gives the time of all payments in whatever order they become known, and after an outage', async () => {
      const { root, id } = await subscribe();
      clock.advance(100 * day);
      bank.outage = new Unavailable('Away.');
      expect(await look(root).catch((error: unknown) => error)).to.be.instanceOf(Unavailable);
      bank.outage = undefined;
      for (const n of [1, 2, 3]) bank.collect(id, { price: 1_000, from: month(n), to: month(n + 1) });
      await look(root);
      expect(await license(root)).to.include({ expiresAt: month(4) + 7 * day, updatesUntil: month(4) });
    });

    it('takes a refunded payment off, without revoking what others paid for', async () => {
      const { root, id } = await subscribe();
      clock.advance(31 * day);
      const paymentId = bank.collect(id, { price: 1_000, from: month(1), to: month(2) });
      await look(root);
      const [cycle] = await stores.orders.cyclesOf(root.id);
      bank.set({ ...must(cycle), paymentId }, { refunded: 1_000 });
      await look(must(cycle));
      expect(await license(root)).to.include({ expiresAt: month(1) + 7 * day, standing: 'active' });
    });

    it('suspends the license while a payment is disputed, and takes off its time if the dispute is lost', async () => {
      const { root, id } = await subscribe();
      bank.collect(id, { price: 1_000, from: month(1), to: month(2) });
      await look(root);
      const cycle = must((await stores.orders.cyclesOf(root.id))[0]);
      bank.set(cycle, { dispute: 'open' });
      await look(cycle);
      expect((await license(root)).standing).to.equal('suspended');
      bank.set(cycle, { dispute: 'lost' });
      await look(cycle);
      expect(await license(root)).to.include({ standing: 'active', expiresAt: month(1) + 7 * day });
    });

    it('tells the buyer once that a payment failed; the license keeps its end, however often the card is tried', async () => {
      const { root, id } = await subscribe();
      clock.advance(31 * day);
      bank.turn(id, { status: 'past_due', payAt: 'https://bank.example/invoice' });
      for (let n = 0; n < 3; n++) {
        expect((await look(root)).subscription).to.include({
          status: 'past_due',
          payAt: 'https://bank.example/invoice',
        });
        clock.advance(day);
      }
      expect((await license(root)).expiresAt).to.equal(month(1) + 7 * day);
      expect((await letters()).filter((kind) => kind === 'order-payment-failed')).to.have.lengthOf(1);
      bank.turn(id, { status: 'active', payAt: null });
      bank.collect(id, { price: 1_000, from: month(1), to: month(2) });
      await look(root);
      expect((await license(root)).expiresAt, 'paid late: no free day').to.equal(month(2) + 7 * day);
    });

    it('ends with the paid time if the buyer cancels, and goes on if that is taken back', async () => {
      const { root, id } = await subscribe();
      const cancelled = good(await parts().subscribing.cancel(root, by));
      expect(cancelled.subscription).to.include({ isCancelled: true, status: 'active' });
      expect(await license(root)).to.include({ expiresAt: month(1), updatesUntil: month(1) });
      expect(bank.asked).to.deep.equal([`cancel ${id} paid_end`]);
      good(await parts().subscribing.resume(cancelled, by));
      expect((await license(root)).expiresAt).to.equal(month(1) + 7 * day);
      good(await parts().subscribing.cancel(root, by));
      bank.turn(id, { status: 'ended' });
      expect((await look(root)).subscription).to.include({ status: 'ended', isCancelled: true });
      expect((await license(root)).expiresAt).to.equal(month(1));
      expect(await happened()).to.deep.equal(
        ['started', 'cancelled', 'resumed', 'cancelled', 'ended'].map((name) => `subscription.${name}`),
      );
      expect((await letters()).filter((kind) => kind === 'order-subscription-cancelled')).to.have.lengthOf(2);
      expect(await parts().subscribing.resume(await look(root), by)).to.include({ reason: 'subscription_ended' });
    });

    it('is cancelled at once if a payment has failed, so that the card is not tried again', async () => {
      const { root, id } = await subscribe();
      clock.advance(31 * day);
      bank.turn(id, { status: 'past_due' });
      const cancelled = good(await parts().subscribing.cancel(await look(root), by));
      expect(bank.asked).to.deep.equal([`cancel ${id} now`]);
      expect(cancelled.subscription).to.include({ status: 'ended', isCancelled: true });
      expect((await license(root)).expiresAt, 'no grace').to.equal(month(1));
    });

    it('becomes perpetual after the agreed number of paid months, and is not any more if one of them is refunded', async () => {
      const { root, id } = await subscribe('kept');
      for (const n of [1, 2]) bank.collect(id, { price: 1_000, from: month(n), to: month(n + 1) });
      await look(root);
      expect(await license(root)).to.include({ expiresAt: null, updatesUntil: month(3) });
      const cycle = must((await stores.orders.cyclesOf(root.id))[1]);
      bank.set(cycle, { refunded: 1_000 });
      await look(cycle);
      expect((await license(root)).expiresAt).to.equal(month(2) + 3 * day);
    });

    it('is replaced by a dearer one at once, less what is unused, and never collects again', async () => {
      const { root, id } = await subscribe();
      clock.advance(15 * day);
      const quotes = await parts().renewing.list(root);
      const dearer = must(quotes.find((one) => one.offer?.slug === 'team'));
      expect(dearer.credit).to.be.within(500, 540);
      const made = good(await parts().renewing.begin(root, { offer: 'team', client }, undefined, addresses)).order;
      expect(made.payment.total).to.equal(5_000 - dearer.credit);
      bank.subscribe(made);
      const upgraded = await look(made);
      expect(await license(root)).to.include({ maxDomains: 20, expiresAt: monthsAfter(1, start + 15 * day) + 7 * day });
      // The work that the payment added looks at the other subscription.
      expect((await look(root)).subscription).to.include({ status: 'ended' });
      expect(bank.asked).to.deep.equal([`cancel ${id} now`]);
      bank.collect(`sub-${upgraded.id}`, { price: 5_000, from: monthsAfter(1, start + 15 * day), to: month(3) });
      await look(upgraded);
      const [cycle] = await stores.orders.cyclesOf(upgraded.id);
      expect(must(cycle).agreed).to.include({ price: 5_000 });
      expect(await license(root)).to.include({ maxDomains: 20, expiresAt: month(3) + 7 * day });
    });

    it('gets the terms of a cheaper one with the next payment, and keeps the domains in use', async () => {
      const { root, id } = await subscribe();
      const quote = must((await parts().renewing.list(root)).find((one) => one.offer?.slug === 'small'));
      expect(quote).to.include({ at: month(1), credit: 0 });
      const waits = good(await parts().subscribing.change(root, quote, by));
      expect(waits.subscription?.next?.offer?.slug).to.equal('small');
      expect(bank.asked).to.deep.equal([`reprice ${id} 400 1`]);
      expect((await license(root)).maxDomains).to.equal(3);
      bank.collect(id, { price: 400, from: month(1), to: month(2) });
      const after = await look(root);
      expect(await license(root)).to.include({ maxDomains: 1, expiresAt: month(2) + 7 * day });
      expect(after.subscription?.next).to.equal(null);
      expect(after.subscription?.now).to.include({ price: 400 });
      bank.collect(id, { price: 400, from: month(2), to: month(3) });
      await look(after);
      expect(await license(root)).to.include({ maxDomains: 1, expiresAt: month(3) + 7 * day });
    });

    it('keeps all domains that are in use with a cheaper one that has fewer, and takes no new one', async () => {
      const { root, id } = await subscribe();
      const { activate } = actOn(stores.licenses);
      const key = must(root.licenseKey ?? undefined);
      for (const host of ['a.example', 'b.example']) await activate(key, domain(host), start);
      const quote = must((await parts().renewing.list(root)).find((one) => one.offer?.slug === 'small'));
      expect(quote.after.maxDomains).to.equal(2);
      good(await parts().subscribing.change(root, quote, by));
      bank.collect(id, { price: 400, from: month(1), to: month(2) });
      await look(root);
      expect(await license(root)).to.include({ maxDomains: 2, domainsUsed: 2 });
      bank.turn(id, { status: 'past_due' });
      await look(root);
      expect(
        (await parts().renewing.list(root)).map((one) => one.offer?.slug),
        'a payment is tried',
      ).to.not.include('kept');
    });

    it('is cancelled when its license is revoked: nobody pays for nothing', async () => {
      const { root, id } = await subscribe();
      bank.set(root, { refunded: 1_000 });
      expect((await look(root)).state).to.equal('refunded');
      expect((await license(root)).standing).to.equal('revoked');
      await look(root);
      expect(bank.asked).to.deep.equal([`cancel ${id} now`]);
    });
  });

  describe('of which each payment is recorded by hand', () => {
    it('asks for the next payment a week before, once; paid in time or within the grace, its time begins at the old end', async () => {
      const root = await byHand();
      clock.advance(20 * day);
      await look(root);
      expect(await stores.orders.cyclesOf(root.id)).to.deep.equal([]);
      clock.set(month(1) - 7 * day);
      await Promise.all([look(root), look(root)]);
      const [cycle, ...others] = await stores.orders.cyclesOf(root.id);
      expect(others).to.deep.equal([]);
      expect(must(cycle)).to.include({ state: 'open', renews: root.licenseKey, provider: 'manual' });
      expect((await letters()).filter((kind) => kind === 'order-payment-due')).to.have.lengthOf(1);
      clock.set(month(1) + 3 * day);
      expect((await look(root)).subscription).to.include({ status: 'past_due' });
      await pay(must(cycle));
      expect((await look(root)).subscription).to.include({ status: 'active', paidTo: month(2) });
      expect(await license(root)).to.include({ expiresAt: month(2) + 7 * day });
    });

    it('ends after the grace, and goes on from the day of a payment that comes later', async () => {
      const root = await byHand();
      clock.set(month(1) - 7 * day);
      await look(root);
      const cycle = must((await stores.orders.cyclesOf(root.id))[0]);
      clock.set(month(1) + 7 * day);
      const over = { status: 'ended', endedAt: month(1) + 7 * day };
      expect((await look(root)).subscription).to.include(over);
      clock.set(month(1) + 12 * day);
      expect((await look(root)).subscription, 'looked at again').to.include(over);
      await pay(cycle);
      const back = await look(root);
      const paidTo = monthsAfter(1, month(1) + 12 * day);
      expect(back.subscription).to.include({ status: 'active', endedAt: null, paidTo });
    });

    it('ends on the last day of each month if it began on the 31st', async () => {
      clock.set(Date.UTC(2027, 0, 31, 12));
      const root = await byHand();
      const ends = [];
      for (let n = 0; n < 3; n++) {
        const { paidTo } = must((await look(root)).subscription ?? undefined);
        ends.push(new Date(paidTo).toISOString().slice(0, 10));
        clock.set(paidTo - day);
        await look(root);
        await pay(must((await stores.orders.cyclesOf(root.id)).at(-1)));
        await look(root);
      }
      expect(ends).to.deep.equal(['2027-02-28', '2027-03-31', '2027-04-30']);
    });

    it('withdraws the open payment when it is cancelled', async () => {
      const root = await byHand();
      clock.set(month(1) - day);
      await look(root);
      good(await parts().subscribing.cancel(await look(root), by));
      const [cycle] = await stores.orders.cyclesOf(root.id);
      expect(must(cycle).state).to.equal('cancelled');
      clock.set(month(1));
      expect((await look(root)).subscription).to.include({ status: 'ended' });
      const again = (await parts().renewing.list(root)).map((one) => one.offer?.slug);
      expect(again, 'it can be subscribed again').to.include('monthly');
    });

    it('asks for the price of a cheaper offer from the next payment on', async () => {
      const root = await byHand();
      clock.set(month(1) - day);
      await look(root);
      const quote = must((await parts().renewing.list(root)).find((one) => one.offer?.slug === 'small'));
      good(await parts().subscribing.change(await look(root), quote, by));
      await look(root);
      const states = (await stores.orders.cyclesOf(root.id)).map(({ state, agreed }) => [state, agreed.price]);
      expect(states).to.deep.equal([
        ['cancelled', 1_000],
        ['open', 400],
      ]);
    });
  });
});
