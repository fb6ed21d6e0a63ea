import { expect } from 'chai';
import fc from 'fast-check';
import { event } from '../../core/events/event.ts';
import type { UserId } from '../../core/id.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { BoughtFilter, OrderFilter, OrderPlace } from '../../core/ports/order-store.ts';
import { type Order, type OrderState, orderStates, type Provider } from '../../core/purchases/order.ts';
import { unpaid } from '../../core/purchases/payment.ts';
import {
  newSubscription,
  type Subscription,
  standingOf,
  subscriptionStates,
} from '../../core/purchases/subscription.ts';
import { isRefused } from '../../core/refusal.ts';
import { addUser, backends, openForAll, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { exampleOffer } from '../support/example-product.ts';
import { keyNumber, must, issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder, newOrder } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';

const day = 86_400_000;

/** One in each state, and those that are in two. */
const subscriptionsIn: readonly Partial<Subscription>[] = [
  {},
  { status: 'past_due' },
  { status: 'paused' },
  { isCancelled: true },
  { status: 'past_due', isCancelled: true },
  { status: 'ended', endedAt: now },
  { status: 'ended', isCancelled: true, endedAt: now + 1 },
];

type Given = Partial<Subscription> & Partial<Pick<Order, 'licenseKey' | 'renews'>> & { readonly currency?: string };

for (const backend of backends) {
  describe(`search of orders: ${backend.name}`, () => {
    const stores = openForAll(backend);
    const sellers: UserId[] = [];
    const products: Product[] = [];
    const all: Order[] = [];

    before(async () => {
      for (const name of ['Ada', 'Bob']) sellers.push((await addUser(stores, name)).id);
      for (const [n, title] of ['Jar "A"', 'Über Jar', 'Jarhead', 'Test jar'].entries()) {
        products.push(
          await addForSale(stores, { slug: `p${n}`, title, ownerId: sellers[n % 2] ?? null, isLive: n < 3 }),
        );
      }
      for (let n = 0; n < 60; n++) {
        const product = must(products[(n * 7) % products.length]);
        const state = must(orderStates[(n * 5) % orderStates.length]);
        const email = `${['zoe', 'zo', 'jar'][n % 3]}${n % 4}@example.com`;
        const buyer = { userId: n % 5 === 0 ? must(sellers[0]) : null, email, name: null };
        const createdAt = now + n * 60_000;
        const provider: Provider = n % 2 === 0 ? 'manual' : 'stripe';
        const begun = n % 3 === 0 ? newSubscription(subscriptionsIn[(n / 3) % subscriptionsIn.length], now) : null;
        const fields = { state, buyer, provider, createdAt, updatedAt: createdAt, subscription: begun };
        const order = await addOrder(stores, product, fields);
        const licenseKey = n % 4 === 0 ? keyNumber(n) : null;
        const changed = await stores.orders.change(order.id, (before) => ({
          after: { ...before, licenseKey },
          events: [event('order.changed', 'x', by, now)],
        }));
        if (changed === undefined || isRefused(changed)) throw new Error('The order was not changed.');
        all.push(changed);
      }
      for (const n of [0, 3]) {
        const last = { buyer: { userId: null, email: 'zoe@example.com', name: null }, createdAt: now + 60 * 60_000 };
        for (const [state, provider] of [
          ['held', 'stripe'],
          ['open', 'manual'],
        ] as const) {
          all.push(await addOrder(stores, must(products[n]), { ...last, updatedAt: last.createdAt, state, provider }));
        }
      }
    });

    /** Reads all pages. */
    async function found(filter: Omit<OrderFilter, 'limit' | 'after'>, limit: number): Promise<number[]> {
      const ids: number[] = [];
      let after: OrderPlace | undefined;
      for (let page = 0; page < 100; page++) {
        const { items, next } = await stores.orders.search({ ...filter, limit, after });
        expect(items.length).to.be.at.most(limit);
        for (const item of items) expect(item).to.deep.equal(all.find(({ id }) => id === item.id));
        ids.push(...items.map(({ id }) => id));
        if (next === undefined) return ids;
        after = next;
      }
      throw new Error('The list does not end.');
    }

    const isMatch = (order: Order, filter: Omit<OrderFilter, 'limit'>) =>
      order.isLive === filter.isLive &&
      (filter.sellerId === undefined || order.sellerId === filter.sellerId) &&
      (filter.productId === undefined || order.productId === filter.productId) &&
      (filter.states === undefined || filter.states.includes(order.state)) &&
      isWanted(order.subscription, filter.subscription) &&
      (filter.from === undefined || order.createdAt >= filter.from) &&
      (filter.to === undefined || order.createdAt < filter.to);
    const isWanted = (subscription: Subscription | null, wanted: OrderFilter['subscription']) =>
      wanted === undefined || (subscription !== null && (wanted === 'any' || standingOf(subscription) === wanted));
    const textsOf = ({ id, buyer, agreed, licenseKey }: Order) =>
      [String(id), buyer.email, agreed.title, licenseKey ?? ''].map((text) => text.toLowerCase());

    const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
    const filters = fc.record({
      isLive: fc.boolean(),
      sellerId: optional(fc.nat({ max: 1 })),
      productId: optional(fc.nat({ max: 3 })),
      states: optional(fc.subarray([...orderStates])) as fc.Arbitrary<OrderState[] | undefined>,
      subscription: optional(fc.constantFrom(...subscriptionStates, 'any' as const)),
      from: optional(fc.nat({ max: 60 })),
      to: optional(fc.nat({ max: 60 })),
      search: optional(fc.constantFrom('zo', 'ZOE', 'zoe1@', 'jar', ' Über', 'lic-test-', '1', '12', '%', 'x')),
      limit: fc.constantFrom(1, 2, 7, 100),
    });

    itLong('lists and counts the orders of both modes that wait for somebody, up to a limit', async () => {
      const held = all.filter(({ state }) => state === 'held');
      const byHand = all.filter(({ state, provider }) => state === 'open' && provider === 'manual');
      for (const orders of [held, byHand]) expect(new Set(orders.map(({ isLive }) => isLive)).size).to.equal(2);
      const waiting = [...held, ...byHand];
      expect(await stores.orders.countWaiting(100)).to.equal(waiting.length);
      expect(await stores.orders.countWaiting(2)).to.equal(2);
      expect(await stores.orders.listWaiting(100)).to.have.deep.members(waiting);
      expect((await stores.orders.listWaiting(1)).map(({ state }) => state)).to.deep.equal(['held']);
    });

    it('counts the orders of a seller that wait, of one mode, and looks at few', async () => {
      for (const sellerId of sellers) {
        for (const isLive of [true, false]) {
          const own = all.filter((order) => order.sellerId === sellerId && order.isLive === isLive);
          const count = (state: OrderState) => own.filter((order) => order.state === state).length;
          const byHand = own.filter(({ state, provider }) => state === 'open' && provider === 'manual').length;
          const expected = { disputed: count('disputed'), held: count('held'), byHand };
          expect(await stores.orders.countToDo({ sellerId, isLive }, 100)).to.deep.equal(expected);
          const { held } = await stores.orders.countToDo({ sellerId, isLive }, 1);
          expect(held).to.equal(Math.min(1, expected.held));
        }
      }
    });

    it('finds the order with an id, if the other conditions hold', async () => {
      for (const order of all) {
        const { id, isLive, state } = order;
        const found = await stores.orders.search({ id, isLive, states: [state], limit: 1 });
        expect(found).to.deep.equal({ items: [order], next: undefined });
        expect((await stores.orders.search({ id, isLive: !isLive, limit: 1 })).items).to.deep.equal([]);
      }
    });

    it('lists exactly the orders of a filter, once each, whatever is combined and however long the pages are', async () => {
      await fc.assert(
        fc.asyncProperty(filters, async ({ sellerId, productId, from, to, limit, ...same }) => {
          const filter = {
            ...same,
            sellerId: sellerId === undefined ? undefined : sellers[sellerId],
            productId: productId === undefined ? undefined : products[productId]?.id,
            from: from === undefined ? undefined : now + from * 60_000,
            to: to === undefined ? undefined : now + to * 60_000,
          };
          const start = same.search?.trim().toLowerCase() ?? '';
          const expected = all
            .filter((order) => isMatch(order, filter) && textsOf(order).some((text) => text.startsWith(start)))
            .map(({ id }) => id);
          const ids = await found(filter, limit);
          if (start === '') expect(ids).to.deep.equal(expected.toReversed());
          else expect(ids.toSorted((one, other) => one - other)).to.deep.equal(expected);
        }),
        { numRuns: runs(400) },
      );
    });

    itLong('lists the orders of an account in both modes, newest first', async () => {
      const mine = all.filter(({ buyer }) => buyer.userId === sellers[0]).toReversed();
      expect(mine.map(({ isLive }) => isLive)).to.include.members([true, false]);
      const list = (seller: number, filter: Omit<BoughtFilter, 'limit'>, limit: number) =>
        stores.orders.listOf(must(sellers[seller]), { ...filter, limit });
      expect(await list(0, {}, 100)).to.deep.equal({ items: mine, next: undefined });
      const next = mine[5]?.id;
      expect(await list(0, { before: mine[2]?.id }, 3)).to.deep.equal({ items: mine.slice(3, 6), next });
      expect(await list(1, {}, 100)).to.deep.equal({ items: [], next: undefined });
      for (const search of [undefined, '', ...mine.slice(0, 5).flatMap(textsOf), 'zzz']) {
        const start = search?.trim().toLowerCase() ?? '';
        const found = mine.filter((order) => textsOf(order).some((text) => text.startsWith(start)));
        const bought = found.filter(({ paidAt, renews }) => paidAt !== null && renews === null);
        expect((await list(0, { search }, 100)).items, search).to.deep.equal(found);
        expect((await list(0, { search, hasLicense: true }, 100)).items, search).to.deep.equal(bought);
        expect((await list(0, { search }, 1)).next).to.equal(found.length > 1 ? found[0]?.id : undefined);
      }
    });
  });

  describe(`revenue and unclaimed orders: ${backend.name}`, () => {
    const stores = openForEach(backend);

    it('adds up what was paid on each day, with what was refunded of it', async () => {
      const seller = await addUser(stores, 'Sel');
      const jar = await addForSale(stores, { slug: 'jar', ownerId: seller.id });
      const cup = await addForSale(stores, { slug: 'cup' });
      const test = await addForSale(stores, { slug: 'test', ownerId: seller.id, isLive: false });
      const start = Date.UTC(2026, 10, 20);
      const add = (product: Product, paidAt: number | null, total: number, refunded = 0, currency = 'usd') =>
        addOrder(stores, product, { paidAt, payment: { ...unpaid(total, currency), refunded } });
      await add(jar, start - 1, 1);
      await add(jar, start, 10, 4);
      await add(jar, start + day - 1, 20);
      await add(jar, start + day, 40, 40);
      await add(jar, start + 1, 80, 0, 'eur');
      await add(cup, start + 2, 160);
      await add(test, start, 320);
      await add(jar, null, 640);
      const usd = (day: string, orders: number, paid: number, refunded: number) => {
        return { day, currency: 'usd', orders, paid, refunded };
      };
      const euro = { day: '2026-11-20', currency: 'eur', orders: 1, paid: 80, refunded: 0 };
      const revenue = (filter: object) => stores.orders.revenue({ isLive: true, from: start, ...filter });
      expect(await revenue({ sellerId: seller.id })).to.deep.equal([
        euro,
        usd('2026-11-20', 2, 30, 4),
        usd('2026-11-21', 1, 40, 40),
      ]);
      expect(await revenue({})).to.deep.equal([euro, usd('2026-11-20', 3, 190, 4), usd('2026-11-21', 1, 40, 40)]);
      expect(await revenue({ productId: cup.id })).to.deep.equal([usd('2026-11-20', 1, 160, 0)]);
      expect(await revenue({ isLive: false })).to.deep.equal([usd('2026-11-20', 1, 320, 0)]);
      expect(await revenue({ productId: cup.id, sellerId: seller.id })).to.deep.equal([]);
    });

    itLong(
      'adds up what the subscriptions bring in a month, and counts those in each state and those that have gone',
      async () => {
        const seller = await addUser(stores, 'Sel');
        const jar = await addForSale(stores, { slug: 'jar', ownerId: seller.id });
        const cup = await addForSale(stores, { slug: 'cup', ownerId: seller.id });
        const test = await addForSale(stores, { slug: 'test', ownerId: seller.id, isLive: false });
        const others = await addForSale(stores, { slug: 'others' });
        const add = async (product: Product, price: number, months: number, more: Given = {}) => {
          const { currency = 'usd', licenseKey = null, renews = null, ...subscription } = more;
          const recurs = { months, graceDays: 7, perpetualAfter: null };
          const offer = { ...exampleOffer, kind: 'subscription' as const, recurs };
          const { agreed } = newOrder(product);
          return await addOrder(stores, product, {
            agreed: { ...agreed, price, currency, offer },
            payment: unpaid(price, currency),
            subscription: newSubscription(subscription, now),
            ...{ licenseKey, renews },
          });
        };
        await add(jar, 1_000, 1);
        await add(jar, 12_000, 12, { status: 'past_due' });
        await add(cup, 1_001, 3);
        await add(jar, 50_000, 1, { isCancelled: true });
        await add(jar, 60_000, 1, { status: 'paused' });
        await add(jar, 70_000, 1, { status: 'ended', endedAt: now - 31 * day });
        await add(jar, 80_000, 1, { status: 'ended', endedAt: now - 29 * day });
        const key = keyNumber(1);
        await add(jar, 90_000, 1, { status: 'ended', endedAt: now, licenseKey: key });
        await add(jar, 2_000, 1, { renews: key });
        await add(jar, 500, 1, { currency: 'eur', status: 'ended', endedAt: now });
        await add(test, 300, 1);
        await add(others, 400, 1);
        await addOrder(stores, jar, { paidAt: now });
        const none = { running: 0, pastDue: 0, cancelled: 0, churned: 0 };
        const recurring = (filter: object) =>
          stores.orders.recurring({ isLive: true, from: now - 30 * day, ...filter });
        expect(await recurring({ sellerId: seller.id })).to.deep.equal([
          { currency: 'eur', monthly: 0, ...none, churned: 1 },
          { currency: 'usd', monthly: 4_334, running: 3, pastDue: 1, cancelled: 1, churned: 1 },
        ]);
        expect(await recurring({ sellerId: seller.id, productId: cup.id })).to.deep.equal([
          { currency: 'usd', monthly: 334, ...none, running: 1 },
        ]);
        expect((await recurring({})).at(-1)).to.include({ running: 4, monthly: 4_734 });
        expect(await recurring({ isLive: false })).to.deep.equal([
          { currency: 'usd', monthly: 300, ...none, running: 1 },
        ]);
        expect(await recurring({ sellerId: seller.id, productId: others.id })).to.deep.equal([]);
      },
    );

    it('finds the paid and free orders of guests with an address, without a second free one of a product', async () => {
      const ada = await addUser(stores, 'Ada');
      const bob = await addUser(stores, 'Bob');
      const jar = await addForSale(stores, { slug: 'jar' });
      const free = await addForSale(stores, { slug: 'free', price: 0 });
      const guest = { userId: null, email: 'old@example.com', name: null };
      const paid = { buyer: guest, paidAt: 1 };
      const first = await addOrder(stores, jar, paid);
      await addOrder(stores, jar, { buyer: guest, paidAt: null });
      const second = await addOrder(stores, jar, paid);
      await addOrder(stores, jar, { ...paid, buyer: { ...guest, userId: bob.id } });
      await addOrder(stores, free, { buyer: { ...guest, userId: ada.id, email: 'ada@example.com' } });
      const again = await addOrder(stores, free, paid);
      expect(await stores.orders.findUnclaimed(ada.id, 'old@example.com')).to.deep.equal([first.id, second.id]);
      expect(await stores.orders.findUnclaimed(bob.id, 'old@example.com')).to.deep.equal([
        first.id,
        second.id,
        again.id,
      ]);
      expect(await stores.orders.findUnclaimed(bob.id, 'ada@example.com')).to.deep.equal([]);
    });

    it('refuses a second order with the same payment', async () => {
      const jar = await addForSale(stores);
      await addOrder(stores, jar, { paymentId: 'same' });
      const add = () => addOrder(stores, jar, { paymentId: 'same' }).then(String, (error: Error) => error.message);
      expect(await Promise.all([add(), add()])).to.deep.equal(Array(2).fill('This payment has an order already.'));
    });
  });
}
