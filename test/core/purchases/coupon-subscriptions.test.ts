import { expect } from 'chai';
import { createManualClock, type ManualClock } from '../../../adapters/node/manual-clock.ts';
import type { Coupon } from '../../../core/purchases/coupon.ts';
import type { Order, Provider } from '../../../core/purchases/order.ts';
import { agreedNow } from '../../../core/purchases/subscription.ts';
import { isRefused } from '../../../core/refusal.ts';
import { day } from '../../../core/time.ts';
import { addCoupon } from '../../support/coupons.ts';
import { good } from '../../support/good.ts';
import { openStoresInMemory, type StoresInMemory } from '../../support/in-memory.ts';
import { must, issuedAt as start } from '../../support/license-acts.ts';
import { addForSale, createBank } from '../../support/orders.ts';
import { startStripeSubscriptions, subscribedAt } from '../../support/stripe-subscriptions.ts';
import { createShop, offers } from '../../support/subscriptions.ts';

const addresses = () => ({ done: 'https://a.example/done', cancelled: 'https://a.example/cancelled' });

describe('a subscription with a coupon', () => {
  let stores: StoresInMemory;
  let clock: ManualClock;
  beforeEach(async () => {
    stores = await openStoresInMemory();
    clock = createManualClock(start);
  });
  afterEach(() => stores.close());

  type Shop = ReturnType<typeof createShop>;
  async function begin(shop: Shop, coupon: Partial<Coupon>, way: Provider, now = start) {
    const made = await addCoupon(stores, { createdAt: now, ...coupon });
    const { slug } = await addForSale(stores, { offers: Object.values(offers) });
    const wish = { product: slug, offer: 'monthly', way, email: 'zoe@example.com', name: null, client: '192.0.2.7' };
    return good(await shop.checkout.begin({ ...wish, coupon: made.code.toLowerCase() }, undefined, addresses));
  }
  /** Goes on until the next payment is asked for, and pays it. Returns its price. */
  async function payNext(shop: Shop, order: Order): Promise<number> {
    const paidTo = must(must(await stores.orders.find(order.id)).subscription ?? undefined).paidTo;
    clock.advance(Math.max(0, paidTo - day - clock.now()));
    await shop.look(order);
    const due = must((await shop.cycles(order)).findLast(({ state }) => state === 'open'));
    await shop.pay(due);
    await shop.look(order);
    return due.agreed.price;
  }

  for (const [payments, expected] of [
    ['first', [800, 1_000, 1_000, 1_000]],
    [3, [800, 800, 800, 1_000]],
    ['every', [800, 800, 800, 800]],
  ] as const) {
    it(`asks here for what the coupon says: ${payments}`, async () => {
      const shop = createShop(stores, clock, createBank());
      const { order } = await begin(shop, { payments }, 'test');
      const prices = [order.agreed.price];
      await shop.pay(order);
      for (let n = 0; n < 3; n++) prices.push(await payNext(shop, order));
      expect(prices).to.deep.equal(expected);
    });

    it(`agrees on what Stripe collects: ${payments}`, async () => {
      await using stripe = await startStripeSubscriptions({}, 'sk_live_coupons');
      const shop = createShop(stores, stripe.clock, createBank(), { provider: stripe.provider });
      const { order } = await begin(shop, { payments }, 'stripe', subscribedAt);
      stripe.account.confirm(must(order.paymentId ?? undefined));
      const paid = await shop.look(order);
      const id = must(paid.subscription?.id ?? undefined);
      for (let n = 0; n < 3; n++) {
        stripe.billing.bill(id);
        await shop.look(order);
      }
      const cycles = await shop.cycles(order);
      expect([paid, ...cycles].map(({ agreed }) => agreed.price)).to.deep.equal(expected);
      expect([paid, ...cycles].map(({ state }) => state)).to.deep.equal(['paid', 'paid', 'paid', 'paid']);
      expect([paid, ...cycles].map(({ agreed }) => agreed.discount?.amount ?? 0)).to.deep.equal(
        expected.map((price) => 1_000 - price),
      );
      const coupon = must(await stores.coupons.findByCode({ sellerId: null, isLive: true }, 'LAUNCH'));
      expect(coupon.uses, 'one for all payments').to.equal(1);
    });
  }

  it('begins for nothing with a coupon of 100 %, and the later payments cost the full price', async () => {
    const shop = createShop(stores, clock, createBank());
    const { order, payAt } = await begin(shop, { takesOff: { percent: 100 } }, 'manual');
    expect(payAt).to.equal(undefined);
    expect(order).to.include({ state: 'paid', number: null });
    expect(order.licenseKey).not.to.equal(null);
    expect(await payNext(shop, order)).to.equal(1_000);
  });

  it('begins for nothing at Stripe, too, which then collects the full price', async () => {
    await using stripe = await startStripeSubscriptions({}, 'sk_live_coupons');
    const shop = createShop(stores, stripe.clock, createBank(), { provider: stripe.provider });
    const { order, payAt } = await begin(shop, { takesOff: { percent: 100 } }, 'stripe', subscribedAt);
    expect(payAt).not.to.equal(undefined);
    expect(order.state, 'the card is not known yet').to.equal('open');
    stripe.account.confirm(must(order.paymentId ?? undefined));
    const paid = await shop.look(order);
    expect(paid.state).to.equal('paid');
    stripe.billing.bill(must(paid.subscription?.id ?? undefined));
    await shop.look(order);
    expect((await shop.cycles(order)).map(({ agreed, state }) => [agreed.price, state])).to.deep.equal([
      [1_000, 'paid'],
    ]);
  });

  it('loses the discount when its buyer changes to another offer, also at Stripe, and by going back', async () => {
    await using stripe = await startStripeSubscriptions({}, 'sk_live_coupons');
    const shop = createShop(stores, stripe.clock, createBank(), { provider: stripe.provider });
    const { order } = await begin(shop, { payments: 'every' }, 'stripe', subscribedAt);
    stripe.account.confirm(must(order.paymentId ?? undefined));
    const paid = await shop.look(order);
    expect(agreedNow(paid).price).to.equal(800);
    const smaller = good(await shop.renewing.quote(paid, 'small'));
    const changed = good(await shop.subscribing.change(paid, smaller, { actor: 'zoe@example.com' }));
    const back = good(await shop.renewing.quote(changed, 'monthly'));
    expect(back.product.price, 'what going back costs').to.equal(1_000);
    const again = good(await shop.subscribing.change(changed, back, { actor: 'zoe@example.com' }));
    stripe.billing.bill(must(again.subscription?.id ?? undefined));
    await shop.look(order);
    const [cycle] = await shop.cycles(order);
    expect(cycle?.agreed).to.include({ price: 1_000 }).and.not.to.have.property('discount');
    expect(cycle?.state).to.equal('paid');
  });

  it('is refused if Stripe could not collect what is left, and the offer stays for sale', async () => {
    await using stripe = await startStripeSubscriptions({}, 'sk_live_coupons');
    const shop = createShop(stores, stripe.clock, createBank(), { provider: stripe.provider });
    const { slug } = await addForSale(stores, { offers: Object.values(offers) });
    const offered = good(await shop.checkout.offer(slug, undefined, 'monthly'));
    await addCoupon(stores, { code: 'MUCH', takesOff: { percent: 97 } });
    const used = good(await shop.checkout.withCoupon(offered, 'MUCH', undefined, '192.0.2.7'));
    expect(offered.ways).to.include('stripe');
    expect(used.ways, 'only by hand').not.to.include('stripe');
    const onlyStripe = { ...offered, ways: ['stripe'] as const };
    expect(await shop.checkout.withCoupon(onlyStripe, 'MUCH', undefined, '192.0.2.7')).to.include({
      reason: 'coupon_leaves_too_little',
    });
  });

  it('counts the codes that one network address tries, and tells nobody anything after that', async () => {
    const shop = createShop(stores, clock, createBank());
    const { slug } = await addForSale(stores, { price: 1_000 });
    const offered = good(await shop.checkout.offer(slug, undefined));
    await addCoupon(stores, { code: 'RIGHT' });
    const guess = (code: string, client = '192.0.2.9') => shop.checkout.withCoupon(offered, code, undefined, client);
    for (let n = 0; n < 120; n++) expect(await guess(`WRONG-${n}`)).to.include({ reason: 'unknown_coupon' });
    const [right, wrong] = [await guess('RIGHT'), await guess('WRONG')];
    expect(right).to.include({ reason: 'too_many_attempts' });
    expect(right).to.deep.equal(wrong);
    expect(isRefused(await guess('RIGHT', '192.0.2.10'))).to.equal(false);
  });

  it('gives nothing for the coupon of another seller', async () => {
    const shop = createShop(stores, clock, createBank());
    const { slug } = await addForSale(stores, { price: 1_000 });
    const offered = good(await shop.checkout.offer(slug, undefined));
    await addCoupon(stores, { code: 'TEST', isLive: false });
    const [other, unknown] = [
      await shop.checkout.withCoupon(offered, 'TEST', undefined, '192.0.2.9'),
      await shop.checkout.withCoupon(offered, 'NO-SUCH-CODE', undefined, '192.0.2.9'),
    ];
    expect(other).to.include({ reason: 'unknown_coupon' });
    expect(other).to.deep.equal(unknown);
  });
});
