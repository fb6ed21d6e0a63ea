import { expect } from 'chai';
import { createManualClock, type ManualClock } from '../../../adapters/node/manual-clock.ts';
import { event } from '../../../core/events/event.ts';
import { monthsAfter } from '../../../core/licensing/ends.ts';
import { creditOf } from '../../../core/licensing/periods.ts';
import { forgetUnpaidOrders } from '../../../core/purchases/forgetting.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { orderLimits } from '../../../core/purchases/order-limits.ts';
import { day } from '../../../core/time.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { by } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { must, issuedAt as start } from '../../support/license-acts.ts';
import { type Bank, createBank } from '../../support/orders.ts';
import { createShop, offerOf, offers } from '../../support/subscriptions.ts';

const month = (n: number) => monthsAfter(n, start);

describe('a buyer of a subscription who wants more than is paid', () => {
  let stores: StoresInMemory;
  let clock: ManualClock;
  let bank: Bank;
  let shop: ReturnType<typeof createShop>;
  beforeEach(async () => {
    stores = await openStoresInMemory();
    clock = createManualClock(start);
    bank = createBank();
    shop = createShop(stores, clock, bank);
  });
  afterEach(() => stores.close());

  async function atBank(offer = 'monthly', fields: Parameters<typeof shop.order>[2] = {}) {
    const made = await shop.order(offer, 'stripe', fields);
    const id = bank.subscribe(made);
    return { root: await shop.look(made), id };
  }
  const byHand = async (offer = 'monthly', fields: Parameters<typeof shop.order>[2] = {}) =>
    await shop.pay(await shop.order(offer, 'manual', fields));
  const again = async ({ id }: Order) => must(await stores.orders.find(id));
  const quoteOf = async (order: Order, offer: string) => good(await shop.renewing.quote(order, offer));
  const mails = async (kind: string) => (await stores.rows('mails')).filter((one) => one.kind === kind).length;
  const dueOf = async (order: Order) => must((await shop.cycles(order)).findLast(({ state }) => state === 'open'));
  const creditNow = async (order: Order) =>
    creditOf(await stores.orders.periodsOf(must(order.licenseKey ?? undefined)), clock.now()).credit;

  it('gets no free days by cancelling after a payment that was late within the grace', async () => {
    const root = await byHand();
    good(await shop.subscribing.cancel(root, by));
    good(await shop.subscribing.resume(await again(root), by));
    clock.set(month(1) + 6 * day);
    await shop.look(root);
    await shop.pay(await dueOf(root));
    good(await shop.subscribing.cancel(await again(root), by));
    expect((await shop.license(root)).expiresAt).to.equal(month(2));
  });

  it('pays from the day of a withdrawn payment on, if the license had ended because it was cancelled', async () => {
    const root = await byHand();
    clock.set(month(1) - day);
    await shop.look(root);
    const due = await dueOf(root);
    good(await shop.subscribing.cancel(await again(root), by));
    clock.set(month(1) + 3 * day);
    await shop.look(root);
    await shop.pay(due);
    const paidTo = monthsAfter(1, month(1) + 3 * day);
    expect(await shop.license(root)).to.include({ expiresAt: paidTo });
    expect((await shop.look(root)).subscription).to.include({ status: 'active', isCancelled: true, paidTo });
    expect((await shop.cycles(root)).map(({ state }) => state)).to.deep.equal(['paid']);
  });

  it('keeps the terms that were paid for if the first payment for cheaper terms is taken back', async () => {
    const { root, id } = await atBank();
    good(await shop.subscribing.change(root, await quoteOf(root, 'small'), by));
    clock.set(month(1));
    bank.collect(id, { price: 400, from: month(1), to: month(2) });
    await shop.look(root);
    bank.set(must((await shop.cycles(root))[0]), { dispute: 'lost' });
    await shop.look(must((await shop.cycles(root))[0]));
    clock.set(month(2));
    bank.collect(id, { price: 400, from: month(2), to: month(3) });
    await shop.look(root);
    expect(await shop.license(root)).to.include({ maxDomains: 1, expiresAt: month(3) + 7 * day });
  });

  it('has the number of domains that its seller sets by hand, also after further payments for chosen terms', async () => {
    const { root, id } = await atBank();
    good(await shop.subscribing.change(root, await quoteOf(root, 'small'), by));
    bank.collect(id, { price: 400, from: month(1), to: month(2) });
    await shop.look(root);
    await stores.licenses.change(must(root.licenseKey ?? undefined), undefined, (license) => ({
      license: { ...license, maxDomains: 7 },
      event: event('license.changed', license.key, by, start),
    }));
    bank.collect(id, { price: 400, from: month(2), to: month(3) });
    await shop.look(root);
    expect(await shop.license(root)).to.include({ maxDomains: 7 });
  });

  it('pays the cheap price for the cheap terms alone, also if the answer of the provider to the change is lost', async () => {
    const { root, id } = await atBank();
    const quote = await quoteOf(root, 'small');
    const losing = createShop(stores, clock, bank, {
      provider: {
        ...bank,
        subscriptions: {
          ...bank.subscriptions,
          async reprice(...asked) {
            await bank.subscriptions.reprice(...asked);
            throw new Unavailable('Away.');
          },
        },
      },
    });
    const lost = await losing.subscribing.change(root, quote, by).catch((error: unknown) => error);
    expect(lost).to.be.instanceOf(Unavailable);
    bank.collect(id, { price: 400, from: month(1), to: month(2) });
    await shop.look(root);
    expect(await shop.license(root)).to.include({ maxDomains: 1 });
  });

  it('gets the cheap terms for a cheap payment, also if the change is taken back before anybody knows of the payment', async () => {
    const { root, id } = await atBank();
    good(await shop.subscribing.change(root, await quoteOf(root, 'small'), by));
    clock.set(month(1) + 1);
    const back = await quoteOf(await again(root), 'monthly');
    bank.collect(id, { price: 400, from: month(1), to: month(2) });
    good(await shop.subscribing.change(await again(root), back, by));
    await shop.look(root);
    expect(await shop.license(root)).to.include({ maxDomains: 1 });
    expect((await again(root)).subscription?.next?.offer?.slug).to.equal('monthly');
  });

  it('takes the choice of other terms back, for the price that was agreed at first', async () => {
    const fields = { slug: 'taken-back' };
    const { root, id } = await atBank('monthly', fields);
    good(await shop.subscribing.change(root, await quoteOf(root, 'small'), by));
    expect(await shop.renewing.quote(await again(root), 'small')).to.include({ reason: 'offer_not_found' });
    const back = await quoteOf(await again(root), 'monthly');
    expect(back.product.price).to.equal(1_000);
    good(await shop.subscribing.change(await again(root), back, by));
    expect((await again(root)).subscription?.next).to.equal(null);
    expect(bank.asked).to.deep.equal([`reprice ${id} 400 1`, `reprice ${id} 1000 1`]);
  });

  it('cannot choose for later what is to be paid now, for its price less what is unused', async () => {
    const { root } = await atBank();
    const now = await quoteOf(root, 'team');
    expect(now).to.include({ at: undefined });
    expect(await shop.subscribing.change(root, now, by)).to.include({ reason: 'subscription_ended' });
    expect(bank.asked).to.deep.equal([]);
  });

  it('cannot resume what ended with the paid time, although nobody has looked at it since', async () => {
    const root = await byHand();
    const cancelled = good(await shop.subscribing.cancel(root, by));
    clock.set(month(1) + day);
    expect(await shop.subscribing.resume(cancelled, by)).to.include({ reason: 'subscription_ended' });
    expect((await shop.license(root)).expiresAt).to.equal(month(1));
  });

  it('cannot resume what ended while the request was on its way', async () => {
    const { root, id } = await atBank();
    const cancelled = good(await shop.subscribing.cancel(root, by));
    bank.turn(id, { status: 'ended' });
    await shop.look(root);
    const late = createShop(stores, clock, bank, {
      provider: { ...bank, subscriptions: { ...bank.subscriptions, resume: async () => undefined } },
    });
    expect(await late.subscribing.resume(cancelled, by)).to.include({ reason: 'subscription_ended' });
    expect((await shop.license(root)).expiresAt).to.equal(month(1));
  });

  it('does not cancel here alone what the provider is still beginning: it would be collected all the same', async () => {
    const made = await shop.order('monthly', 'stripe');
    bank.set(made, { status: 'paid' });
    const root = await shop.look(made);
    expect(root.subscription).to.include({ id: null });
    expect(await shop.subscribing.cancel(root, by).catch((error: unknown) => error)).to.be.instanceOf(Unavailable);
    expect((await again(root)).subscription).to.include({ isCancelled: false });
  });

  it('causes a bounded number of orders, mails and events by cancelling and resuming again and again', async () => {
    const root = await byHand();
    clock.set(month(1) - day);
    await shop.look(root);
    const results: string[] = [];
    for (let n = 0; n < 40; n++) {
      good(await shop.subscribing.cancel(await again(root), by));
      const resumed = await shop.subscribing.resume(await again(root), by);
      results.push('reason' in resumed ? resumed.reason : 'resumed');
    }
    const { limit } = orderLimits.changesByOrder[0];
    expect(results.filter((one) => one === 'resumed')).to.have.lengthOf(limit);
    expect(results.at(-1)).to.equal('too_many_attempts');
    expect((await again(root)).subscription, 'nobody is kept from cancelling').to.include({ isCancelled: true });
    expect(await mails('order-subscription-cancelled')).to.equal(limit + 1);
    expect(await mails('order-payment-due')).to.be.at.most(10);
  });

  it('is asked a bounded number of times if what was asked for is declined or cancelled each time', async () => {
    const root = await shop.order('monthly', 'test');
    await shop.learnt(root, { status: 'paid' });
    clock.set(month(1) - day);
    await shop.look(root);
    for (let n = 0; n < 5; n++) {
      await shop.learnt(must((await shop.cycles(root)).at(-1)), { status: 'failed' });
      await shop.look(root);
    }
    expect(await shop.cycles(root), 'a declined one can be tried again').to.have.lengthOf(1);
    for (let n = 0; n < 30; n++) {
      await shop.learnt(must((await shop.cycles(root)).at(-1)), { status: 'cancelled' });
      await shop.look(root);
    }
    expect(await mails('order-payment-due')).to.equal(10);
  });

  it('is asked for the next payment although unpaid orders were forgotten meanwhile', async () => {
    const root = await byHand();
    clock.set(month(1) - day);
    await shop.look(root);
    good(await shop.subscribing.change(await again(root), await quoteOf(root, 'small'), by));
    await shop.pay(await dueOf(root));
    await shop.look(root);
    clock.set(month(2) - day);
    await forgetUnpaidOrders(stores.orders, clock);
    expect((await shop.cycles(root)).map(({ state }) => state)).to.deep.equal(['paid']);
    await shop.look(root);
    expect((await dueOf(root)).agreed.price).to.equal(400);
  });

  it('is not asked to pay what was cancelled while it was asked for', async () => {
    const root = await byHand();
    clock.set(month(1) - day);
    let isFirst = true;
    const slow = createShop(stores, clock, bank, {
      store: {
        ...stores.orders,
        async add(...made) {
          if (isFirst) {
            isFirst = false;
            good(await shop.subscribing.cancel(await again(root), by));
          }
          return await stores.orders.add(...made);
        },
      },
    });
    await slow.look(root);
    expect((await shop.cycles(root)).map(({ state }) => state)).to.not.include('open');
  });

  it('keeps a license for ever that has become so, if the same is subscribed again; not for more', async () => {
    const { root, id } = await atBank('kept', {
      offers: [...Object.values(offers), offerOf({ slug: 'more', maxDomains: 9, price: 2_000 })],
    });
    for (const n of [1, 2]) bank.collect(id, { price: 1_000, from: month(n), to: month(n + 1) });
    await shop.look(root);
    good(await shop.subscribing.cancel(await again(root), by));
    bank.turn(id, { status: 'ended' });
    clock.set(month(5));
    await shop.look(root);
    const quote = await quoteOf(await again(root), 'kept');
    expect(quote.after).to.include({ expiresAt: null, updatesUntil: month(6) });
    expect((await quoteOf(await again(root), 'more')).after.expiresAt).to.equal(month(6) + 7 * day);
    const made = await shop.change(await again(root), 'kept', 'stripe');
    bank.subscribe(made);
    await shop.look(made);
    expect(await shop.license(root)).to.include({ expiresAt: null, updatesUntil: month(6) });
    good(await shop.subscribing.cancel(await again(made), by));
    expect(await shop.license(root)).to.include({ expiresAt: null, updatesUntil: month(6) });
  });

  it('pays the days of the grace with a renewal in it', async () => {
    const more = offerOf({ slug: 'more-time', kind: 'renewal', recurs: null, duration: { days: 30, from: 'issue' } });
    const { root, id } = await atBank('monthly', { offers: [...Object.values(offers), more] });
    clock.set(month(1) + 2 * day);
    bank.turn(id, { status: 'ended' });
    await shop.look(root);
    expect((await quoteOf(await again(root), 'more-time')).after.expiresAt).to.equal(month(1) + 30 * day);
    await shop.pay(await shop.change(await again(root), 'more-time', 'manual'));
    expect((await shop.license(root)).expiresAt).to.equal(month(1) + 30 * day);
  });

  it('has what is unused of a payment that was collected between the order of dearer terms and its payment, in whatever order', async () => {
    const credits: number[] = [];
    for (const isKnownLate of [false, true]) {
      clock.set(start);
      const { root, id } = await atBank('monthly', { slug: `late-${isKnownLate}` });
      clock.set(month(1) - 2 * day);
      const made = await shop.change(await again(root), 'team', 'stripe');
      bank.collect(id, { price: 1_000, from: month(1), to: month(2) });
      if (!isKnownLate) await shop.look(root);
      bank.subscribe(made);
      await shop.look(made);
      await shop.look(root);
      expect(bank.known(id).status).to.equal('ended');
      expect((await shop.cycles(root)).map(({ state }) => state)).to.deep.equal(['paid']);
      credits.push(await creditNow(root));
    }
    expect(credits).to.deep.equal([5_000 + 1_000, 5_000 + 1_000]);
  });

  it('has one subscription for a license, whichever of two orders for dearer terms is paid last', async () => {
    const root = await byHand();
    const one = await shop.change(root, 'team', 'manual');
    const other = await shop.change(root, 'team', 'manual');
    await shop.pay(other);
    await shop.pay(one);
    for (const each of [root, one, other]) await shop.look(each);
    const running = must(await stores.orders.findSubscription(must(root.licenseKey ?? undefined)));
    expect(running.id, 'the one whose terms the license has').to.equal(one.id);
    expect((await again(other)).subscription).to.include({ status: 'ended' });
    expect(await creditNow(root), 'no credit twice').to.be.at.most(1_000 + 4_000 + 4_000);
    clock.set(month(1) - day);
    for (const each of [root, one, other]) await shop.look(each);
    const due = (await Promise.all([root, one, other].map(shop.cycles))).map(({ length }) => length);
    expect(due).to.deep.equal([0, 1, 0]);
  });
});
