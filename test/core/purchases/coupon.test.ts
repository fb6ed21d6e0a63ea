import { expect } from 'chai';
import fc from 'fast-check';
import { toCouponId, toProductId } from '../../../core/id.ts';
import {
  type Coupon,
  type CouponUse,
  checkedTerms,
  codeOf,
  couponStateOf,
  couponUsedBy,
  discountOf,
  takenOff,
} from '../../../core/purchases/coupon.ts';
import { discounted, pricesWith } from '../../../core/purchases/discounted.ts';
import { type Order, orderStates, orderTable } from '../../../core/purchases/order.ts';
import { agreedNow, inFull } from '../../../core/purchases/subscription.ts';
import { isRefused } from '../../../core/refusal.ts';
import { newCoupon } from '../../support/coupons.ts';
import { newProduct } from '../../support/license-acts.ts';
import { newOrder } from '../../support/orders.ts';
import { runs } from '../../support/runs.ts';

const now = 1_000_000;
const productId = toProductId(7);
const coupon = (fields: Partial<Coupon> = {}): Coupon => ({
  ...newCoupon({ createdAt: 0, ...fields }),
  id: toCouponId(3),
  uses: fields.uses ?? 0,
});
const use = (fields: Partial<CouponUse> = {}): CouponUse => ({
  ...{ productId, offer: null, price: 999, currency: 'usd', now, isMember: false, isOwner: false },
  ...fields,
});
const reasonOf = (one: Coupon | undefined, fields: Partial<CouponUse> = {}) => {
  const found = discountOf(one, use(fields));
  return isRefused(found) ? found.reason : 'usable';
};
const takes = fc.oneof(
  fc.record({ percent: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ amount: fc.integer({ min: 1, max: 99_999_999 }), currency: fc.constant('usd') }),
);

describe('a coupon', () => {
  it('takes off so much that the price stays from 0 to the full price', () => {
    fc.assert(
      fc.property(takes, fc.integer({ min: 1, max: 99_999_999 }), (takesOff, price) => {
        const after = price - takenOff(takesOff, price, 'usd');
        expect(after).to.satisfy(Number.isInteger);
        expect(after).to.be.within(0, price);
        if ('percent' in takesOff) {
          expect(after, 'rounded for the buyer').to.be.at.most((price * (100 - takesOff.percent)) / 100);
          expect(after).to.be.above((price * (100 - takesOff.percent)) / 100 - 1);
        }
      }),
      { numRuns: runs(1_000) },
    );
    expect(999 - takenOff({ percent: 50 }, 999, 'usd')).to.equal(499);
    expect(12_500 - takenOff({ percent: 33 }, 12_500, 'kwd'), 'what card networks take').to.equal(8_370);
    expect(takenOff({ amount: 5_000, currency: 'usd' }, 999, 'usd')).to.equal(999);
  });

  it('has codes without case, of a small alphabet', () => {
    expect(codeOf(' launch-20 ')).to.equal('LAUNCH-20');
    for (const wrong of ['ab', 'A B C', '-ABC', 'ABC_', 'ÄBC', 'a'.repeat(41), '', 'abc\u0000', '=SUM']) {
      expect(codeOf(wrong), wrong).to.equal(undefined);
    }
  });

  it('looks the same if it is unknown, not valid yet, or not valid any more', () => {
    const all = [undefined, coupon({ startsAt: now + 1 }), coupon({ endsAt: now }), coupon({ endedAt: now - 1 })].map(
      (one) => discountOf(one, use()),
    );
    for (const one of all) expect(one).to.deep.equal(all[0]);
    expect(reasonOf(coupon({ startsAt: now, endsAt: now + 1 }))).to.equal('usable');
  });

  it('is for its products and offers, its currency, its owners and its number of uses', () => {
    const team = { slug: 'team', kind: 'once' } as const;
    const ofTeam = coupon({ targets: [{ productId, offer: 'team' }] });
    expect(reasonOf(ofTeam, { offer: team })).to.equal('usable');
    expect(reasonOf(ofTeam)).to.equal('coupon_not_for_this');
    expect(reasonOf(coupon({ targets: [{ productId, offer: null }] }), { offer: team })).to.equal('usable');
    expect(reasonOf(coupon({ targets: [{ productId: toProductId(8), offer: null }] }))).to.equal('coupon_not_for_this');
    const euros = coupon({ takesOff: { amount: 100, currency: 'eur' } });
    expect(reasonOf(euros)).to.equal('coupon_not_for_this');
    expect(reasonOf(euros, { currency: 'eur' })).to.equal('usable');
    expect(reasonOf(coupon(), { currency: 'eur' }), 'a percentage is of every currency').to.equal('usable');
    expect(reasonOf(coupon(), { price: 0 })).to.equal('coupon_not_for_this');
    expect(reasonOf(coupon({ ownersOf: productId }))).to.equal('coupon_for_owners');
    expect(reasonOf(coupon({ ownersOf: productId }), { isOwner: true })).to.equal('usable');
    expect(reasonOf(coupon({ mostUses: 2, uses: 2 }))).to.equal('coupon_used_up');
    expect(reasonOf(coupon({ mostUses: 2, uses: 1 }))).to.equal('usable');
  });

  it('says how it stands', () => {
    expect(couponStateOf(coupon(), now)).to.equal('valid');
    expect(couponStateOf(coupon({ startsAt: now + 1 }), now)).to.equal('planned');
    expect(couponStateOf(coupon({ endsAt: now }), now)).to.equal('over');
    expect(couponStateOf(coupon({ mostUses: 1, uses: 1 }), now)).to.equal('used_up');
    expect(couponStateOf(coupon({ endedAt: 1, endsAt: 2 }), now)).to.equal('ended');
  });

  it('is used by each order that waits or was paid, unless all of it was refunded', () => {
    const order = discounted(newOrder({ ...newProduct({ price: 999 }), id: productId }), good());
    const using = orderStates.filter((state) => couponUsedBy({ ...order, state }) !== undefined);
    expect(using).to.deep.equal(
      orderStates.filter((state) => orderTable[state].stage !== 'lapsed' && state !== 'refunded'),
    );
  });

  it('has terms that make sense', () => {
    const wrong: Partial<Coupon>[] = [
      { takesOff: { percent: 0 } },
      { takesOff: { percent: 101 } },
      { takesOff: { percent: 1.5 } },
      { takesOff: { amount: 0, currency: 'usd' } },
      { payments: 1 },
      { startsAt: 5, endsAt: 5 },
      { mostUses: 0 },
      { mostPerBuyer: -1 },
    ];
    for (const fields of wrong) {
      expect(checkedTerms(coupon(fields)), JSON.stringify(fields)).to.include({ reason: 'invalid_coupon' });
    }
    expect(checkedTerms(coupon({ payments: 3, endsAt: 9 }))).not.to.have.property('reason');
  });

  function good(fields: Partial<Coupon> = {}) {
    const discount = discountOf(coupon(fields), use());
    if (isRefused(discount)) throw new Error(discount.detail);
    return discount;
  }

  it('makes as many payments of a subscription cheaper as it says, and all others cost the full price', () => {
    const recurs = { months: 1, graceDays: 7, perpetualAfter: null };
    const offer = {
      slug: 'monthly',
      name: 'Monthly',
      kind: 'subscription',
      updatesMonths: null,
      entitlements: [],
      recurs,
    } as const;
    const made = newOrder({ ...newProduct({ price: 999 }), id: productId });
    const which = fc.oneof(fc.constantFrom('first' as const, 'every' as const), fc.integer({ min: 2, max: 12 }));
    fc.assert(
      fc.property(takes, which, (takesOff, payments) => {
        const order = discounted({ ...made, agreed: { ...made.agreed, offer } }, good({ takesOff, payments }));
        const less = 999 - takenOff(takesOff, 999, 'usd');
        expect(order.agreed.price).to.equal(less);
        expect(order.payment).to.include({ subtotal: less, total: less });
        expect(inFull(order.agreed)).to.include({ price: 999 }).and.not.to.have.property('discount');
        const many = payments === 'first' ? 1 : payments === 'every' ? 99 : payments;
        for (let payment = 2; payment <= 14; payment++) {
          const subscription = { ...begun, discounted: Math.min(payment, many + 1) - 2 };
          const { price, discount } = agreedNow({ ...order, subscription });
          expect([price, discount?.amount], String(payment)).to.deep.equal(
            payment <= many ? [less, 999 - less] : [999, undefined],
          );
        }
        const [first, ...later] = pricesWith(
          { product: { price: 999 }, offer: { ...offer, price: 999 } as never, currency: 'usd' },
          order.agreed.discount,
        );
        expect(first).to.equal(less);
        expect(new Set(later)).to.deep.equal(new Set(many === 1 ? [999] : many === 99 ? [less] : [less, 999]));
      }),
      { numRuns: runs(200) },
    );
  });
});

const begun: NonNullable<Order['subscription']> = {
  ...{ id: null, status: 'active', isCancelled: false, payAt: null, paidTo: now, next: null, now: null, endedAt: null },
};
