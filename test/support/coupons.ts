import { event } from '../../core/events/event.ts';
import type { Product } from '../../core/marketplace/product.ts';
import { type Coupon, discountOf } from '../../core/purchases/coupon.ts';
import { discounted } from '../../core/purchases/discounted.ts';
import { isRefused } from '../../core/refusal.ts';
import type { Stores } from './backends.ts';
import { by } from './by.ts';
import { issuedAt as now } from './license-acts.ts';
import { newOrder } from './orders.ts';

/** Returns a coupon that was not stored yet. It takes 20 % off all products of its seller. */
export function newCoupon(fields: Partial<Coupon> = {}): Omit<Coupon, 'id' | 'uses'> {
  return {
    ...{ isLive: true, sellerId: null, code: 'LAUNCH', takesOff: { percent: 20 }, targets: [], payments: 'first' },
    ...{ startsAt: null, endsAt: null, mostUses: null, mostPerBuyer: null, ownersOf: null },
    ...{ createdAt: now, endedAt: null },
    ...fields,
  };
}

export async function addCoupon({ coupons }: Pick<Stores, 'coupons'>, fields: Partial<Coupon> = {}): Promise<Coupon> {
  const made = newCoupon(fields);
  const added = await coupons.add(made, event('coupon.added', made.code, by, made.createdAt));
  if (isRefused(added)) throw new Error(added.detail);
  return added;
}

/** Returns a new order of a product with a coupon. */
export function orderWith(coupon: Coupon, product: Product, fields: Parameters<typeof newOrder>[1] = {}) {
  const { id: productId, price } = product;
  const use = { productId, offer: null, price, currency: 'usd', now, isMember: true, isOwner: true } as const;
  const discount = discountOf({ ...coupon, uses: 0 }, use);
  if (isRefused(discount)) throw new Error(discount.detail);
  return discounted(newOrder(product, fields), discount);
}
