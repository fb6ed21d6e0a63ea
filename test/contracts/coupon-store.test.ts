import { expect } from 'chai';
import fc from 'fast-check';
import { event } from '../../core/events/event.ts';
import { toCouponId, toUserId } from '../../core/id.ts';
import type { NewOrder } from '../../core/ports/order-store.ts';
import { type Coupon, couponLimits, couponUsedBy, ended, isCouponHeld } from '../../core/purchases/coupon.ts';
import { type AgreedOffer, type Order, orderStates } from '../../core/purchases/order.ts';
import { isRefused } from '../../core/refusal.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { addCoupon, newCoupon, orderWith } from '../support/coupons.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder, newOrder } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { sharedBackends } from '../support/shared-backends.ts';

const trialOffer: AgreedOffer = {
  ...{ slug: 'trial', name: 'Trial', kind: 'trial', updatesMonths: null, entitlements: [] },
};

for (const backend of [...backends, ...sharedBackends]) {
  describe(`coupon store: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const place = (order: NewOrder) => stores.orders.add(order, event('order.added', 'x', by, now), now);
    const usesOf = async ({ id }: Coupon) => must(await stores.coupons.find(id)).uses;
    const turn = (order: Order, state: Order['state']) =>
      stores.orders.change(order.id, (before) => ({
        after: { ...before, state, updatedAt: now },
        events: [event('order.changed', String(order.id), by, now)],
      }));
    let buyers = 0;
    const someone = () => ({ userId: null, email: `buyer${++buyers}@example.com`, name: null });

    it('returns a coupon as it was added, by id and by the code of its seller and mode', async () => {
      const seller = await addUser(stores, 'Sel');
      const product = await addForSale(stores, { ownerId: seller.id });
      const made = newCoupon({
        ...{ sellerId: seller.id, code: 'SPRING-26', takesOff: { amount: 500, currency: 'eur' }, payments: 3 },
        ...{ targets: [{ productId: product.id, offer: 'team' }], startsAt: now - 5, endsAt: now + 7 },
        ...{ mostUses: 11, mostPerBuyer: 2, ownersOf: product.id },
      });
      const added = await addCoupon(stores, made);
      expect(added).to.deep.equal({ ...made, id: added.id, uses: 0 });
      expect(await stores.coupons.find(added.id)).to.deep.equal(added);
      const of = { sellerId: seller.id, isLive: true };
      expect(await stores.coupons.findByCode(of, 'SPRING-26')).to.deep.equal(added);
      expect(await stores.coupons.findByCode({ ...of, isLive: false }, 'SPRING-26')).to.equal(undefined);
      expect(await stores.coupons.findByCode({ ...of, sellerId: null }, 'SPRING-26')).to.equal(undefined);
      expect(await stores.coupons.hasAny(of)).to.equal(true);
      expect(await stores.coupons.hasAny({ ...of, sellerId: null })).to.equal(false);
      expect(await stores.coupons.find(toCouponId(9_999_999_999))).to.equal(undefined);
    });

    it('gives a code once to the site if two ask for it at once', async () => {
      for (let n = 0; n < 5; n++) {
        const code = `SITE-${n}`;
        const add = () => stores.coupons.add(newCoupon({ code }), event('coupon.added', code, by, now));
        const both = await Promise.all([add(), add(), add()]);
        expect(both.flatMap((one) => (isRefused(one) ? [one.reason] : []))).to.deep.equal([
          'coupon_exists',
          'coupon_exists',
        ]);
      }
    });

    it('gives a code once to each seller and mode, and again when its coupon has ended', async () => {
      const seller = await addUser(stores, 'Sel');
      const first = await addCoupon(stores);
      await addCoupon(stores, { sellerId: seller.id });
      await addCoupon(stores, { isLive: false });
      const again = () => stores.coupons.add(newCoupon(), event('coupon.added', 'LAUNCH', by, now));
      expect(await again()).to.include({ reason: 'coupon_exists' });
      await stores.coupons.change(first.id, (before) => ended(before, event('coupon.ended', 'LAUNCH', by, now + 9)));
      expect(await stores.coupons.find(first.id)).to.deep.equal({ ...first, endedAt: now + 9 });
      const second = await again();
      expect(second).to.include({ code: 'LAUNCH', endedAt: null });
      const raced = await Promise.all(
        ['RACED', 'RACED', 'RACED'].map((code) =>
          stores.coupons.add(newCoupon({ code }), event('coupon.added', code, by, now)),
        ),
      );
      expect(raced.filter(isRefused)).to.have.lengthOf(2);
    });

    it('lists the coupons of sellers in one mode, newest first', async () => {
      const [ada, bob] = [await addUser(stores, 'Ada'), await addUser(stores, 'Bob')];
      const site = await addCoupon(stores, { code: 'SITE' });
      const one = await addCoupon(stores, { code: 'ONE', sellerId: ada.id });
      const two = await addCoupon(stores, { code: 'TWO', sellerId: ada.id });
      await addCoupon(stores, { code: 'TEST', sellerId: ada.id, isLive: false });
      const other = await addCoupon(stores, { code: 'BOB', sellerId: bob.id });
      const codes = async (sellers: readonly (typeof ada.id | null)[] | undefined, before?: Coupon, limit = 9) =>
        (await stores.coupons.list({ isLive: true, sellers, before: before?.id, limit })).map(({ code }) => code);
      expect(await codes([ada.id])).to.deep.equal([two.code, one.code]);
      expect(await codes([ada.id, null])).to.deep.equal([two.code, one.code, site.code]);
      expect(await codes(undefined)).to.deep.equal([other.code, two.code, one.code, site.code]);
      expect(await codes(undefined, two, 1)).to.deep.equal([one.code]);
    });

    itLong('counts 200 orders at once for 10 uses as exactly 10', async () => {
      const product = await addForSale(stores, { price: 4_900 });
      const coupon = await addCoupon(stores, { mostUses: 10 });
      const all = await Promise.all(
        Array.from({ length: 200 }, () => place(orderWith(coupon, product, { buyer: someone() }))),
      );
      const refused = all.filter(isRefused);
      expect(refused.map(({ reason }) => reason)).to.deep.equal(Array.from({ length: 190 }, () => 'coupon_used_up'));
      expect(await usesOf(coupon)).to.equal(10);
      const stored = await stores.coupons.ordersWith(coupon.id, undefined, 20);
      expect(stored.map(({ id }) => id)).to.have.members(all.flatMap((one) => (isRefused(one) ? [] : [one.id])));
      expect(stored[0]?.agreed.discount?.code).to.equal('LAUNCH');
      expect(await stores.coupons.ordersWith(coupon.id, stored[7]?.id, 20)).to.have.lengthOf(2);
    });

    it('counts one buyer by account, and by address without its plus part, also at once', async () => {
      const product = await addForSale(stores, { price: 4_900 });
      const coupon = await addCoupon(stores, { mostPerBuyer: 1 });
      const grace = await addUser(stores, 'Grace');
      const buyer = { userId: grace.id, email: 'grace@example.com', name: null };
      const orders = await Promise.all(
        [
          buyer,
          { ...buyer, userId: null },
          { ...buyer, email: 'other@example.com' },
          { ...buyer, userId: null, email: 'grace+2@example.com' },
        ].map((one) => place(orderWith(coupon, product, { buyer: one }))),
      );
      const taken = orders.filter((one) => !isRefused(one));
      // The guest with another account's other address may be a second buyer, but nobody else.
      expect(taken.length).to.be.within(1, 2);
      expect(await place(orderWith(coupon, product, { buyer }))).to.include({ reason: 'coupon_used_up' });
      expect(await usesOf(coupon)).to.equal(taken.length);
      expect(await place(orderWith(coupon, product, { buyer: someone() }))).to.include({ state: 'open' });
    });

    itLong('refuses a coupon that ended after the page was opened, and writes nothing', async () => {
      const product = await addForSale(stores, { price: 4_900 });
      const byDay = await addCoupon(stores, { code: 'BY-DAY', endsAt: now });
      const planned = await addCoupon(stores, { code: 'PLANNED', startsAt: now + 1 });
      const byHand = await addCoupon(stores, { code: 'BY-HAND' });
      const earlier = await addOrder(stores, product);
      const orders = [byDay, planned, byHand].map((one) =>
        orderWith({ ...one, startsAt: null, endsAt: null }, product, { buyer: someone() }),
      );
      await stores.coupons.change(byHand.id, (before) => ended(before, event('coupon.ended', 'x', by, now)));
      const instead = {
        id: earlier.id,
        decide: (before: Order) => ({
          after: { ...before, state: 'cancelled' as const },
          events: [event('order.changed', 'x', by, now)],
        }),
      };
      for (const order of orders) {
        const refused = await stores.orders.add(order, event('order.added', 'x', by, now), now, { instead });
        expect(refused).to.include({ reason: 'unknown_coupon' });
        expect(await stores.orders.findByToken(order.token)).to.equal(undefined);
      }
      expect(await stores.orders.find(earlier.id)).to.deep.equal(earlier);
      expect(await usesOf(byHand)).to.equal(0);
    });

    it('gives the last use of an order to the one that takes its place', async () => {
      const product = await addForSale(stores, { price: 4_900 });
      const coupon = await addCoupon(stores, { mostUses: 1, mostPerBuyer: 1 });
      const buyer = someone();
      const first = await place(orderWith(coupon, product, { buyer }));
      if (isRefused(first)) throw new Error(first.detail);
      const instead = {
        id: first.id,
        decide: (before: Order) => ({
          after: { ...before, state: 'cancelled' as const },
          events: [event('order.changed', 'x', by, now)],
        }),
      };
      const second = orderWith(coupon, product, { buyer });
      expect(await stores.orders.add(second, event('order.added', 'x', by, now), now, { instead })).to.include({
        state: 'open',
      });
      expect(await usesOf(coupon)).to.equal(1);
    });

    it('has as many uses as orders use it, whatever happens to them, and never more than allowed at checkout', async () => {
      const product = await addForSale(stores, { price: 4_900 });
      const steps = fc.array(
        fc.oneof(
          fc.constant('order' as const),
          fc.record({ order: fc.nat(9), state: fc.constantFrom(...orderStates) }),
          fc.record({ givesBack: fc.nat(9) }),
        ),
        { maxLength: 25 },
      );
      let codes = 0;
      await fc.assert(
        fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (all, mostUses) => {
          const coupon = await addCoupon(stores, { code: `CODE-${++codes}`, mostUses });
          const orders: Order[] = [];
          /** Those that do not hold their use any more. */
          const free = new Set<Order['id']>();
          const uses = () =>
            orders.filter((one) => couponUsedBy(one) !== undefined && !(isCouponHeld(one) && free.has(one.id))).length;
          for (const step of all) {
            const used = uses();
            if (step === 'order') {
              const added = await place(orderWith(coupon, product, { buyer: someone() }));
              expect(isRefused(added), 'only a use that is left is given').to.equal(used >= mostUses);
              if (!isRefused(added)) orders.push(added);
            } else if ('givesBack' in step) {
              const order = orders[step.givesBack];
              if (order === undefined) continue;
              await stores.coupons.giveBack(order.id);
              if (isCouponHeld(order)) free.add(order.id);
            } else {
              const order = orders[step.order];
              if (order === undefined) continue;
              const after = must(await turn(order, step.state));
              if (isRefused(after)) continue;
              if (!isCouponHeld(after)) free[couponUsedBy(after) === undefined ? 'add' : 'delete'](after.id);
              orders[step.order] = after;
            }
          }
          expect(await usesOf(coupon)).to.equal(uses());
        }),
        { numRuns: runs(10) },
      );
    });

    it('counts a change of an order once, however often and however many at once it is made', async () => {
      const product = await addForSale(stores, { price: 4_900 });
      const coupon = await addCoupon(stores);
      const order = await place(orderWith(coupon, product, { buyer: someone() }));
      if (isRefused(order)) throw new Error(order.detail);
      await Promise.all(Array.from({ length: 5 }, () => turn(order, 'expired')));
      expect(await usesOf(coupon)).to.equal(0);
      await Promise.all(Array.from({ length: 5 }, () => turn(order, 'paid')));
      expect(await usesOf(coupon)).to.equal(1);
    });

    it('lets a lapsed order that is paid all the same use its coupon beyond the limit', async () => {
      const product = await addForSale(stores, { price: 4_900 });
      const coupon = await addCoupon(stores, { mostUses: 1 });
      const lapsed = await place(orderWith(coupon, product, { buyer: someone() }));
      if (isRefused(lapsed)) throw new Error(lapsed.detail);
      await turn(lapsed, 'expired');
      expect(await place(orderWith(coupon, product, { buyer: someone() }))).to.include({ state: 'open' });
      await turn(lapsed, 'paid');
      expect(await usesOf(coupon)).to.equal(2);
      expect(await place(orderWith(coupon, product, { buyer: someone() }))).to.include({ reason: 'coupon_used_up' });
    });

    it('gives the use of an unpaid order to others after a time, and the order uses the coupon again when it is paid', async () => {
      const product = await addForSale(stores, { price: 4_900 });
      const coupon = await addCoupon(stores, { mostUses: 1 });
      const waiting = await place(orderWith(coupon, product, { buyer: someone() }));
      if (isRefused(waiting)) throw new Error(waiting.detail);
      await Promise.all([1, 2, 3].map(() => stores.coupons.giveBack(waiting.id)));
      expect(await usesOf(coupon)).to.equal(0);
      const other = await place(orderWith(coupon, product, { buyer: someone() }));
      if (isRefused(other)) throw new Error(other.detail);
      await turn(other, 'paid');
      await stores.coupons.giveBack(other.id);
      expect(await usesOf(coupon), 'a paid order keeps its use').to.equal(1);
      await turn(waiting, 'paid');
      expect(await usesOf(coupon)).to.equal(2);
      expect((await stores.orders.find(waiting.id))?.agreed).to.deep.equal(waiting.agreed);
    });

    itLong('lets one buyer wait with one order only, and knows whose use it takes again', async () => {
      const product = await addForSale(stores, { price: 4_900 });
      for (const limits of [
        { code: 'ALL', mostUses: 1 },
        { code: 'EACH', mostPerBuyer: 1 },
      ]) {
        const coupon = await addCoupon(stores, limits);
        const [first, second] = [await addUser(stores, `${limits.code} 1`), await addUser(stores, `${limits.code} 2`)];
        const add = (userId: typeof first.id) => {
          const order = orderWith(coupon, product, { buyer: { userId, email: 'one+a@example.com', name: null } });
          return stores.orders.add(order, event('order.added', 'x', by, now), now, { isProved: true });
        };
        const waiting = await add(first.id);
        if (isRefused(waiting)) throw new Error(waiting.detail);
        await stores.coupons.giveBack(waiting.id);
        expect(await add(first.id), 'it can still be paid').to.include({ reason: 'coupon_used_up' });
        expect(await usesOf(coupon)).to.equal(0);
        await turn(waiting, 'paid');
        expect(await add(second.id), 'the same address').to.include({ reason: 'coupon_used_up' });
        await turn(waiting, 'refunded');
        await turn(waiting, 'paid');
        expect(await add(second.id)).to.include({ reason: 'coupon_used_up' });
        await turn(waiting, 'refunded');
        expect(await add(second.id), 'given back for good').to.include({ state: 'open' });
      }
    });

    it('counts what others with an address have used only for the account that has proved it', async () => {
      const product = await addForSale(stores, { price: 4_900 });
      const coupon = await addCoupon(stores, { mostPerBuyer: 1 });
      const [grace, stranger] = [await addUser(stores, 'Grace'), await addUser(stores, 'Stranger')];
      const add = (userId: typeof grace.id, isProved: boolean) => {
        const order = orderWith(coupon, product, { buyer: { userId, email: 'grace@example.com', name: null } });
        return stores.orders.add(order, event('order.added', 'x', by, now), now, { isProved });
      };
      expect(await add(stranger.id, false)).to.include({ state: 'open' });
      expect(await add(grace.id, true), 'a stranger cannot use up her use').to.include({ state: 'open' });
      expect(await add(grace.id, true)).to.include({ reason: 'coupon_used_up' });
      const third = await addUser(stores, 'Third');
      expect(await add(third.id, false), 'nobody learns that she has used it').to.include({ state: 'open' });
      expect(await add(third.id, false)).to.include({ reason: 'coupon_used_up' });
    });

    it('makes a product free for who has a trial of it, or got it for free, once', async () => {
      const product = await addForSale(stores, { price: 4_900 });
      const coupon = await addCoupon(stores, { takesOff: { percent: 100 } });
      const buyer = someone();
      const trial = newOrder(product, { buyer, provider: 'free' });
      expect(await place({ ...trial, agreed: { ...trial.agreed, offer: trialOffer } })).to.include({
        provider: 'free',
      });
      const byCoupon = () => place(orderWith(coupon, product, { buyer, provider: 'free' }));
      expect(await byCoupon()).to.include({ provider: 'free' });
      expect(await byCoupon()).to.include({ reason: 'already_bought' });
      const other = someone();
      expect(await place(newOrder(product, { buyer: other, provider: 'free' }))).to.include({ provider: 'free' });
      const first = await place(orderWith(coupon, product, { buyer: other, provider: 'free' }));
      expect(first).to.include({ provider: 'free' });
      expect(await stores.orders.findFree(orderWith(coupon, product, { buyer: other }))).to.deep.equal(first);
      expect(await usesOf(coupon)).to.equal(2);
    });

    itLong('counts no later payment of a subscription', async () => {
      const product = await addForSale(stores, { price: 4_900 });
      const coupon = await addCoupon(stores, { payments: 'every', mostUses: 1 });
      const first = await place(orderWith(coupon, product, { buyer: someone() }));
      if (isRefused(first)) throw new Error(first.detail);
      expect(await place(orderWith(coupon, product, { cycleOf: first.id }))).to.include({ state: 'open' });
      expect(await usesOf(coupon)).to.equal(1);
    });

    it('says which account has bought a product', async () => {
      const [product, other] = [await addForSale(stores), await addForSale(stores)];
      const grace = await addUser(stores, 'Grace');
      const order = await addOrder(stores, product, {
        buyer: { userId: grace.id, email: 'g@example.com', name: null },
      });
      expect(await stores.coupons.owns(grace.id, product.id), 'not paid').to.equal(false);
      await turn(order, 'paid');
      expect(await stores.coupons.owns(grace.id, product.id)).to.equal(true);
      expect(await stores.coupons.owns(grace.id, other.id)).to.equal(false);
      expect(await stores.coupons.owns(toUserId(77), product.id)).to.equal(false);
    });

    itLong('has at most so many coupons of one seller that have not ended', async () => {
      const { active } = couponLimits;
      for (let n = 0; n < active; n += 10) {
        await Promise.all(Array.from({ length: 10 }, (_, more) => addCoupon(stores, { code: `CODE-${n + more}` })));
      }
      const one = newCoupon({ code: 'ONE-MORE' });
      expect(await stores.coupons.add(one, event('coupon.added', 'x', by, now))).to.include({
        reason: 'too_many_coupons',
      });
    });
  });
}
