import type { Discount } from '../../../core/purchases/coupon.ts';
import { moneyOf } from './prices.ts';

/** A coupon with what it took off a price, for people. */
export function couponText({ code, percent, amount }: Discount, currency: string): string {
  return `${code}${percent === null ? '' : ` (${percent} %)`}: −${moneyOf(amount, currency)}`;
}
