import type { VNode } from 'preact';
import type { Discount } from '../../../core/purchases/coupon.ts';
import { moneyOf } from './prices.ts';

/** A coupon with what it took off a price, for people. */
export function CouponText({
  discount: { code, percent, amount },
  currency,
}: {
  readonly discount: Discount;
  readonly currency: string;
}): VNode {
  return (
    <>
      <span class="breakable">{`${code}${percent === null ? '' : ` (${percent} %)`}`}</span>:{' '}
      <span class="amount">{`−${moneyOf(amount, currency)}`}</span>
    </>
  );
}
