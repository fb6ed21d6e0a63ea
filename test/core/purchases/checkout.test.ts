import { randomUUID } from 'node:crypto';
import { assert, expect } from 'chai';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import { createManualClock, type ManualClock } from '../../../adapters/node/manual-clock.ts';
import { type OrderRow, toOrder } from '../../../adapters/sql/stores/order-rows.ts';
import type { Actor } from '../../../core/accounts/role.ts';
import { event } from '../../../core/events/event.ts';
import { toOrderId } from '../../../core/id.ts';
import type { Offer } from '../../../core/marketplace/offers.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import type { PaymentProvider } from '../../../core/ports/payments.ts';
import { createPurchases } from '../../../core/purchases/buying.ts';
import { createCheckout } from '../../../core/purchases/checkout.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { orderLimits } from '../../../core/purchases/order-limits.ts';
import { createSettleOrder, lookAtOrder } from '../../../core/purchases/settle.ts';
import type { UsdcWay } from '../../../core/purchases/usdc-way.ts';
import type { PaymentSettings } from '../../../core/purchases/ways-to-pay.ts';
import { isRefused } from '../../../core/refusal.ts';
import { createOrderList } from '../../../core/selling/order-list.ts';
import { createOrders } from '../../../core/selling/orders.ts';
import { Repeatable, Unavailable } from '../../../core/unavailable.ts';
import type { Outcome } from '../../../core/work/work.ts';
import { createWorker } from '../../../core/work/worker.ts';
import { addUser } from '../../support/backends.ts';
import { by, operator } from '../../support/by.ts';
import { addCoupon, orderWith } from '../../support/coupons.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { must, issuedAt as now } from '../../support/license-acts.ts';
import { addForSale, addOrder, type Bank, createBank, orderPorts } from '../../support/orders.ts';

const day = 86_400_000;
const addresses = () => ({ done: 'https://a.example/done', cancelled: 'https://a.example/cancelled' });
const noUsdc: UsdcWay = { begin: async () => undefined, takes: async () => false };
const zoe = { email: 'zoe@example.com', name: 'Zoë', client: '192.0.2.7' };

describe('buying', () => {
  let stores: StoresInMemory;
  let clock: ManualClock;
  let bank: Bank;
  beforeEach(async () => {
    stores = await openStoresInMemory();
    clock = createManualClock(now);
    bank = createBank();
  });
  afterEach(() => stores.close());

  function parts(
    settings: Partial<PaymentSettings> = { provider: bank },
    provider: PaymentProvider = bank,
    usdc: UsdcWay = noUsdc,
  ) {
    const ports = orderPorts(stores, provider, clock);
    const limiter = createMemoryRateLimiter(clock);
    const settle = createSettleOrder(ports);
    const { products, auditLog: log } = stores;
    const list = createOrderList({
      store: ports.store,
      products,
      log,
      writeSheet: () => assert.fail('It writes no sheet.'),
      mayRecord: async () => true,
    });
    const all = { manual: undefined, test: undefined, provider: undefined, takesProvider: true, ...settings };
    return {
      settle,
      checkout: createCheckout({
        ...{ ...ports, products: stores.products, coupons: stores.coupons },
        ...{ settings: all, settle, limiter, usdc },
      }),
      purchases: createPurchases({ ...ports, claim: async () => 0, settings: all, settle, limiter }),
      orders: createOrders({ ...ports, list, settle, mayRecord: async () => true }),
    };
  }
  const begin = async (product: Product, settings?: Partial<PaymentSettings>) =>
    good(await parts(settings).checkout.begin({ product: product.slug, ...zoe }, undefined, addresses));
  const seller = { actor: operator, mode: 'live' } as const;
  const kinds = async () => (await stores.mails.list({ limit: 99 })).map(({ kind }) => kind);
  const licenseOf = async ({ licenseKey }: Order) =>
    (await stores.licenses.find(must(licenseKey ?? undefined)))?.license;
  const change = (product: Product, fields: Partial<Product>) =>
    stores.products.change(product.id, (before) => ({
      after: { ...before, ...fields },
      event: event('product.changed', before.slug, by, now),
    }));

  it('sells nothing of a suspended seller, also nothing free, until the seller is reinstated', async () => {
    const { id: ownerId } = await addUser(stores, 'Ada');
    const setSuspended = (suspendedAt: number | null) =>
      stores.accounts.changeRights(ownerId, (before) => ({
        after: { ...before, suspendedAt },
        event: event('user.suspended', before.email, by, now),
      }));
    const product = await addForSale(stores, { ownerId, price: 0 });
    const wish = { product: product.slug, ...zoe };
    await setSuspended(now);
    expect(good(await parts().checkout.offer(product.slug, undefined)).ways).to.deep.equal([]);
    expect(await parts().checkout.obstacle(product)).to.equal('seller');
    expect(await parts().checkout.begin(wish, undefined, addresses)).to.include({ reason: 'not_for_sale' });
    await setSuspended(null);
    expect(good(await parts().checkout.begin(wish, undefined, addresses)).order.state).to.equal('paid');
  });

  it('says why nobody can pay for a product', async () => {
    const product = await addForSale(stores, { price: 30, prices: {} });
    expect(await parts().checkout.obstacle(product)).to.equal('price');
    expect(await parts().checkout.obstacle({ ...product, prices: { eur: 500 } })).to.equal(undefined);
    expect(await parts({}).checkout.obstacle(product)).to.equal('site');
    expect(await parts({ manual: { instructions: 'By letter' } }).checkout.obstacle(product)).to.equal(undefined);
    expect(await parts({}).checkout.obstacle({ ...product, price: 0 })).to.equal(undefined);
  });

  it('keeps what was agreed, if the product changes or is taken off the list during the payment', async () => {
    const product = await addForSale(stores, { price: 4990 });
    const { order, payAt } = await begin(product);
    expect(payAt).to.equal(`https://bank.example/pay/${order.id}`);
    const terms = { ...product.terms, maxDomains: 99, duration: null };
    await change(product, { price: 1, title: 'Other', terms, status: 'unlisted', archivedAt: now });
    const offer = await parts().checkout.offer(product.slug, undefined);
    expect(offer).to.include({ reason: 'product_not_found' });
    bank.set(order, { status: 'paid' });
    const paid = must(await parts().settle(order.id));
    expect(paid).to.include({ state: 'paid', number: 1 });
    expect(paid.agreed).to.include({ price: 4990, title: 'Tip Jar' });
    expect(await licenseOf(paid)).to.include({ maxDomains: 5, daysFromActivation: 30 });
    expect((await stores.rows('products')).map(({ sold }) => sold)).to.deep.equal([1]);
  });

  describe('an offer', () => {
    const team: Offer = {
      ...{ slug: 'team', name: 'Team', kind: 'once', price: 14_900, maxDomains: 9, duration: null },
      ...{ updatesMonths: 12, entitlements: ['pro', 'team'], isListed: true },
    };
    const solo: Offer = { ...team, slug: 'solo', price: 0, maxDomains: 1, updatesMonths: null, entitlements: [] };
    const secret: Offer = {
      ...{ ...team, slug: 'secret', price: 100, updatesMonths: null, isListed: false },
      duration: { days: 30, from: 'issue' },
    };
    const year = Date.UTC(2027, 10, 20, 8, 30, 0, 123);

    it('decides price and terms, and the order keeps what it said; the license gets it', async () => {
      const product = await addForSale(stores, { price: 4_990, offers: [team, secret] });
      const { checkout, settle } = parts();
      const wish = { product: product.slug, ...zoe };
      const { order } = good(await checkout.begin({ ...wish, offer: 'team' }, undefined, addresses));
      expect(order.payment).to.include({ subtotal: 14_900 });
      const { slug, name, kind, updatesMonths, entitlements } = team;
      expect(order.agreed.offer).to.deep.equal({ slug, name, kind, updatesMonths, entitlements });
      expect(order.agreed.terms).to.deep.equal({ ...product.terms, maxDomains: 9, duration: null });
      await change(product, { offers: [] });
      bank.set(order, { status: 'paid' });
      const paid = must(await settle(order.id));
      expect(paid).to.include({ state: 'paid' });
      expect(paid.agreed).to.deep.equal(order.agreed);
      expect(await licenseOf(paid)).to.deep.include({
        ...{ maxDomains: 9, expiresAt: null, daysFromActivation: null },
        ...{ updatesUntil: year, entitlements: ['pro', 'team'] },
      });
      const added = (await stores.rows('audit_log')).find(({ type }) => type === 'order.added');
      expect(JSON.parse(String(added?.data))).to.include({ price: 14_900, offer: 'team' });
    });

    it('is the first listed one if none is chosen; others need their name; unknown ones are not for sale', async () => {
      const product = await addForSale(stores, { offers: [secret, team, solo] });
      const { checkout } = parts();
      const chosen = async (offer?: string) => {
        const offered = await checkout.offer(product.slug, undefined, offer);
        return 'offer' in offered ? offered.offer?.slug : offered.reason;
      };
      expect([await chosen(), await chosen('secret'), await chosen('none'), await chosen('')]).to.deep.equal([
        'team',
        'secret',
        'product_not_found',
        'product_not_found',
      ]);
      const wish = { product: product.slug, ...zoe, offer: 'none' };
      expect(await checkout.begin(wish, undefined, addresses)).to.include({ reason: 'product_not_found' });
    });

    it('can be free, in play money or by hand; a time-limited license gets updates as long as it runs', async () => {
      const manual = { manual: { instructions: 'By letter' }, test: 'all products' } as const;
      const product = await addForSale(stores, { offers: [solo, team, secret] });
      const { checkout, purchases, orders } = parts(manual);
      const wish = { product: product.slug, ...zoe };
      const free = good(await checkout.begin({ ...wish, offer: 'solo' }, undefined, addresses));
      expect(free.order).to.include({ state: 'paid', provider: 'free' });
      expect(await licenseOf(free.order)).to.deep.include({ maxDomains: 1, updatesUntil: null, entitlements: [] });
      const played = good(await checkout.begin({ ...wish, offer: 'team', way: 'test' }, undefined, addresses)).order;
      const done = good(await purchases.play(played.token, { kind: 'pay' }));
      expect(await licenseOf(done)).to.include({ updatesUntil: year });
      const byHand = good(
        await checkout.begin({ ...wish, offer: 'secret', way: 'manual' }, undefined, addresses),
      ).order;
      const recorded = good(await orders.pay(String(byHand.id), seller));
      expect(await licenseOf(recorded)).to.include({ expiresAt: now + 30 * day, updatesUntil: now + 30 * day });
    });

    it('gives the product a way to pay if one of the listed ones has it', async () => {
      const offers = [{ ...team, price: 30 }];
      const product = await addForSale(stores, { price: 4_990, offers });
      expect(await parts().checkout.obstacle(product)).to.equal('price');
      expect(await parts().checkout.obstacle({ ...product, offers: [...offers, team] })).to.equal(undefined);
      expect(await parts({}).checkout.obstacle({ ...product, offers: [...offers, solo] })).to.equal(undefined);
    });

    it('is none in an order of an older process, which stored none', async () => {
      const { order } = await begin(await addForSale(stores, { offers: [] }));
      const [row] = await stores.rows('orders');
      const { offer: _, ...old } = JSON.parse(String(row?.agreed));
      const read = toOrder({ ...row, agreed: JSON.stringify(old) } as unknown as OrderRow);
      expect(read.agreed).to.deep.equal({ ...order.agreed, offer: null });
      bank.set(order, { status: 'paid' });
      expect(await licenseOf(must(await parts().settle(order.id)))).to.deep.include({
        updatesUntil: null,
        entitlements: [],
      });
    });
  });

  it('holds an order of which another amount was paid, and tells each administrator once', async () => {
    const admin = await addUser(stores, 'Admin');
    await stores.accounts.changeRights(admin.id, (before) => ({
      after: { ...before, role: 'admin' },
      event: event('user.role_set', 'x', by, now),
    }));
    const { order } = await begin(await addForSale(stores));
    bank.set(order, { status: 'paid', subtotal: 1 });
    for (let look = 0; look < 3; look++) expect(await parts().settle(order.id)).to.include({ state: 'held' });
    const notices = await stores.notifications.list(admin.id, { limit: 9 });
    expect(notices.map(({ notice }) => notice.kind)).to.deep.equal(['order_held']);
    expect(await kinds()).to.deep.equal(['order-held']);

    const ada: Actor = { kind: 'user', user: { ...admin, id: must(await addUser(stores, 'Ada')).id, role: null } };
    expect(await parts().orders.accept(String(order.id), { actor: ada, mode: 'live' })).to.include({
      reason: 'order_not_found',
    });
    const accepted = good(await parts().orders.accept(String(order.id), seller));
    expect(accepted).to.include({ state: 'paid', isAccepted: true, number: 1 });
    expect(await licenseOf(accepted)).to.include({ standing: 'active' });
    expect(await parts().orders.accept(String(order.id), seller)).to.include({ reason: 'not_held' });
    expect(await kinds()).to.deep.equal(['order-paid', 'order-held']);
  });

  it('cancels a held order that is refunded, without a license', async () => {
    const product = await addForSale(stores);
    const { order } = await begin(product);
    bank.set(order, { status: 'paid', currency: 'eur' });
    await parts().settle(order.id);
    const refunded = good(await parts().orders.refund(String(order.id), undefined, seller));
    expect(refunded).to.include({ state: 'cancelled', licenseKey: null, number: null });
    expect(await stores.licenses.list({ productId: product.id, limit: 9 })).to.deep.equal([]);
    expect(await kinds()).to.deep.equal(['order-refunded', 'order-held']);
  });

  it('delivers a free product at once, only once, and sends its mail again to who asks again later', async () => {
    const product = await addForSale(stores, { price: 0 });
    const { order } = await begin(product);
    expect(order).to.include({ state: 'paid', number: null });
    const again = () => parts().checkout.begin({ product: product.slug, ...zoe }, undefined, addresses);
    expect(await again()).to.include({ reason: 'already_bought' });
    expect(await kinds()).to.deep.equal(['order-paid']);
    clock.advance(5 * 60_000);
    expect(await again()).to.include({ reason: 'already_bought' });
    expect(await kinds()).to.deep.equal(['order-paid', 'order-paid']);
    expect(await stores.licenses.list({ productId: product.id, limit: 9 })).to.have.lengthOf(1);
  });

  it('makes one of two equal refunds by hand that are asked for at once', async () => {
    const settings = { manual: { instructions: 'IBAN' } };
    const { order } = await begin(await addForSale(stores), settings);
    expect(await kinds()).to.deep.equal(['order-instructions']);
    const { orders } = parts(settings);
    good(await orders.pay(String(order.id), seller));
    const both = await Promise.all([1, 2].map(() => orders.refund(String(order.id), 1000, seller)));
    expect(both.filter((one) => isRefused(one)).map((one) => isRefused(one) && one.reason)).to.deep.equal([
      'order_changed',
    ]);
    expect((await stores.orders.find(order.id))?.payment.refunded).to.equal(1000);
    expect(await orders.refund(String(order.id), 3991, seller)).to.include({ reason: 'refund_not_possible' });
  });

  it('takes no play money for old orders where it is not taken any more', async () => {
    const product = await addForSale(stores, { price: 4990 });
    const demo = { test: 'all products' } as const;
    const [early, late] = [await begin(product, demo), await begin(product, demo)];
    good(await parts(demo).purchases.play(early.order.token, { kind: 'pay' }));
    for (const settings of [{ provider: bank }, { test: 'test products' } as const]) {
      const { purchases } = parts(settings);
      expect(await purchases.play(late.order.token, { kind: 'pay' })).to.include({ reason: 'payment_act_not_allowed' });
    }
    expect(await stores.orders.find(late.order.id)).to.include({ state: 'open', licenseKey: null });
  });

  it('lets a network address make so many orders in USDC a day, whoever it says that it is', async () => {
    const { checkout } = parts({ manual: { instructions: 'Pay.' } }, bank, { ...noUsdc, takes: async () => true });
    const { slug: product } = await addForSale(stores, { price: 4_900 });
    const [{ limit: most }] = orderLimits.usdcByClient;
    const orderAs = (n: number, way: 'usdc' | 'manual') => {
      // Not faster than all orders of an address may come.
      clock.advance(2 * 60_000);
      return checkout.begin(
        { product, client: zoe.client, name: null, email: `${n}@example.com`, way },
        undefined,
        addresses,
      );
    };
    for (let n = 0; n < most; n++) expect(good(await orderAs(n, 'usdc')).order.provider).to.equal('usdc');
    expect(await orderAs(most, 'usdc')).to.include({ reason: 'too_many_attempts' });
    expect(good(await orderAs(most, 'manual')).order.provider).to.equal('manual');
    clock.advance(day);
    expect(good(await orderAs(most, 'usdc')).order.provider).to.equal('usdc');
  });

  it('sends the mail of one address again only some times a day, in whichever order', async () => {
    const { purchases } = parts();
    const orders = [];
    for (let n = 0; n < 3; n++) orders.push((await begin(await addForSale(stores, { price: 0 }))).order);
    let refused = 0;
    for (let n = 0; n < 30; n++) {
      clock.advance(10 * 60_000);
      const sent = await purchases.sendAgain(must(orders[n % orders.length]).token);
      if (isRefused(sent)) expect(sent.reason).to.equal('too_many_attempts');
      if (isRefused(sent)) refused++;
    }
    expect(refused).to.equal(10);
    expect(await kinds()).to.have.lengthOf(orders.length + 20);
  });

  it('asks the provider only so often because a buyer loads a page again and again', async () => {
    const { purchases, checkout } = parts();
    const { order } = await begin(await addForSale(stores));
    bank.set(order, { status: 'open' });
    const other = await begin(await addForSale(stores));
    bank.set(other.order, { status: 'paid' });
    await purchases.look(order);
    bank.reads = 0;
    for (let n = 0; n < 100; n++) expect(await purchases.look(order)).to.include({ state: 'open' });
    expect(bank.reads).to.be.lessThan(100);
    bank.reads = 0;
    expect(await checkout.goOn(order.token, addresses)).to.equal(undefined);
    expect(bank.reads).to.equal(0);
    expect(await purchases.look(other.order)).to.include({ state: 'paid' });
  });

  it('closes an order whose payment never began, if its coupon is not held long enough to begin it', async () => {
    const [coupon, product] = [await addCoupon(stores), await addForSale(stores)];
    const { checkout } = parts();
    for (const minutes of [29, 31]) {
      // A process that was killed after this has asked nobody.
      const made = orderWith(coupon, product, { provider: 'stripe', paymentId: null, createdAt: clock.now() });
      const order = await addOrder(stores, product, made);
      clock.advance(minutes * 60_000);
      const payAt = await checkout.goOn(order.token, addresses);
      expect(payAt === undefined, `after ${minutes} minutes`).to.equal(minutes > 30);
      expect((await stores.orders.find(order.id))?.state).to.equal(minutes > 30 ? 'expired' : 'open');
    }
  });

  it('asks no provider of the other mode about a payment, and refunds nothing there', async () => {
    const { order } = await begin(await addForSale(stores));
    bank.set(order, { status: 'paid' });
    good(await parts().settle(order.id));
    const { settle, orders } = parts({}, { ...bank, isLive: false });
    for (const asked of [() => settle(order.id), () => orders.refund(String(order.id), undefined, seller)]) {
      const error = await asked().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(Unavailable);
      expect(String(error)).to.include('No payment provider stripe is set up for live payments.');
    }
    expect(bank.truthOf(must(await stores.orders.find(order.id))).refunded).to.equal(0);
  });

  describe('looks at payments', () => {
    const outcomes: Outcome[] = [];
    const work = async () => {
      outcomes.length = 0;
      const worker = createWorker(
        stores.work,
        { mail: async () => 'sent', order: lookAtOrder(parts().settle, stores.coupons, clock) },
        clock,
        {
          places: 3,
          stop: new AbortController().signal,
          observe: ({ work: { kind }, outcome }) => {
            if (kind === 'order') outcomes.push(outcome);
          },
        },
      );
      await worker.take();
      await worker.idle();
      return [...outcomes];
    };

    it('are tried again after an outage of the bank, and end as the bank then says', async () => {
      const order = await addOrder(stores, await addForSale(stores));
      await stores.orders.lookAt(order.id, now);
      bank.set(order, { status: 'paid' });
      bank.outage = new Unavailable('The bank is closed.');
      expect(await work()).to.deep.equal([{ kind: 'again', error: 'The bank is closed.', due: now + 30_000 }]);
      bank.outage = undefined;
      expect(await work()).to.deep.equal([]);
      clock.advance(30_000);
      expect(await work()).to.deep.equal([{ kind: 'done', result: 'seen' }]);
      expect(await stores.orders.find(order.id)).to.include({ state: 'paid' });
    });

    it('are still tried after a week without the bank, so that who has paid gets the license', async () => {
      const { order } = await begin(await addForSale(stores));
      bank.set(order, { status: 'paid' });
      bank.outage = new Unavailable('The bank does not accept the key.');
      for (let n = 0; n < 14; n++) {
        clock.advance(day);
        await work();
      }
      bank.outage = undefined;
      clock.advance(day);
      await work();
      expect(await stores.orders.find(order.id)).to.include({ state: 'paid' });
    });

    it('find a payment whose start got no answer; until then the order is closed, so that nobody waits for it', async () => {
      const product = await addForSale(stores);
      const lost: PaymentProvider = {
        ...bank,
        async start(order) {
          // Its answer is lost, but the payment exists, and is paid.
          bank.set({ ...order, paymentId: `pay-${order.id}` }, { status: 'paid' });
          throw new Unavailable('The answer is lost.');
        },
      };
      const wish = { product: product.slug, ...zoe };
      const buy = () => parts({ provider: lost }, lost).checkout.begin(wish, undefined, addresses);
      expect(String(await buy().then(good, (error: unknown) => error))).to.include('The answer is lost.');
      const [closed] = await stores.rows('orders');
      expect(closed).to.include({ state: 'expired', payment_id: null, license_key: null });
      expect(await work()).to.deep.equal([]);
      clock.advance(60_000);
      expect(await work()).to.deep.equal([{ kind: 'done', result: 'seen' }]);
      const [paid] = await stores.rows('orders');
      expect(paid).to.include({ state: 'paid', payment_id: `pay-${paid?.id}`, number: 1 });
      expect(await stores.rows('licenses')).to.have.length(1);
    });

    it('find nothing if the provider never got the order, and leave it closed', async () => {
      const product = await addForSale(stores);
      const out: PaymentProvider = {
        ...bank,
        start: async () => {
          throw new Unavailable('Out of reach.');
        },
      };
      const begun = parts({ provider: out }, out).checkout.begin(
        { product: product.slug, ...zoe },
        undefined,
        addresses,
      );
      expect(String(await begun.then(good, (error: unknown) => error))).to.include('Out of reach.');
      clock.advance(60_000);
      expect(await work()).to.deep.equal([{ kind: 'done', result: 'seen' }]);
      expect((await stores.rows('orders')).map(({ state }) => state)).to.deep.equal(['expired']);
      expect(await stores.rows('work')).to.deep.equal([]);
    });

    it('follow a refund whose answer was lost', async () => {
      const { order } = await begin(await addForSale(stores));
      bank.set(order, { status: 'paid' });
      good(await parts().settle(order.id));
      clock.advance(2 * day);
      await work();
      const forgetful: PaymentProvider = {
        ...bank,
        async refund(...asked) {
          await bank.refund(...asked);
          throw new Unavailable('The answer is lost.');
        },
      };
      const asked = parts({}, forgetful).orders.refund(String(order.id), undefined, seller);
      expect(String(await asked.then(good, (error: unknown) => error))).to.include('The answer is lost.');
      expect(await stores.orders.find(order.id)).to.include({ state: 'paid' });
      clock.advance(60_000);
      await work();
      expect(await stores.orders.find(order.id)).to.include({ state: 'refunded' });
    });

    it('do not make the repeat of a refund whose answer was lost a second refund', async () => {
      for (const amount of [1000, undefined]) {
        const { order } = await begin(await addForSale(stores));
        bank.set(order, { status: 'paid' });
        good(await parts().settle(order.id));
        const { orders, settle } = parts(
          {},
          {
            ...bank,
            async refund(...asked) {
              await bank.refund(...asked);
              throw new Unavailable('The answer is lost.');
            },
          },
        );
        const sent = async (key: string, by = orders) => {
          const request = { key: `${order.id}:${key}`, owner: randomUUID() };
          const times = { now, forgetBefore: 0, abandonedBefore: 0 };
          expect(await stores.idempotency.take(request, '', times)).to.equal(undefined);
          const actor: Actor = { kind: 'operator', by: { actor: 'operator', request } };
          const result = await by
            .refund(String(order.id), amount, { actor, mode: 'live' })
            .catch((error: unknown) => error);
          if (result instanceof Error) await stores.idempotency.release(request, true);
          return result;
        };
        expect(await sent('K1')).to.be.instanceOf(Repeatable);
        await settle(order.id);
        const refunded = amount ?? order.payment.total;
        const again = (await sent('K1', parts().orders)) as Order;
        expect(again.payment).to.include({ refunded });
        const other = (await sent('K2', parts().orders)) as object;
        if (amount === undefined) expect(other).to.include({ reason: 'refund_not_possible' });
        else expect(bank.truthOf(order).refunded).to.equal(2 * amount);
      }
    });

    it('end an order that nobody paid, and do nothing for one that is unknown', async () => {
      const fields = { provider: 'manual', paymentId: null } as const;
      const order = await addOrder(stores, await addForSale(stores), fields);
      expect(await work()).to.deep.equal([]);
      clock.set(now + 5);
      expect(await work()).to.deep.equal([{ kind: 'later', due: now + 30 * day }]);
      clock.set(now + 30 * day);
      expect(await work()).to.deep.equal([{ kind: 'done', result: 'seen' }]);
      expect(await stores.orders.find(order.id)).to.include({ state: 'expired', licenseKey: null });
      await stores.orders.lookAt(toOrderId(999), clock.now());
      expect(await work()).to.deep.equal([{ kind: 'done', result: 'seen' }]);
      clock.advance(90 * day);
      expect(await work()).to.deep.equal([]);
    });

    it('go on day by day while a payment is on its way, also without events of the bank', async () => {
      const order = await addOrder(stores, await addForSale(stores));
      bank.set(order, { status: 'processing' });
      clock.set(now + 5);
      for (let n = 0; n < 3; n++) {
        expect(await work()).to.deep.equal([{ kind: 'later', due: clock.now() + day }]);
        clock.advance(day);
      }
      bank.set(order, { status: 'paid' });
      expect(await work()).to.deep.equal([{ kind: 'done', result: 'seen' }]);
      expect(await stores.orders.find(order.id)).to.include({ state: 'paid' });
    });
  });
});
