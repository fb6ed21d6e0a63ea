import type { Event } from '../events/event.ts';
import type { CouponId, OrderId, ProductId, UserId } from '../id.ts';
import type { Coupon } from '../purchases/coupon.ts';
import type { Order } from '../purchases/order.ts';
import type { Refused } from '../refusal.ts';
import type { ChangeById } from './change.ts';

/** Whose coupons, and of which mode. `sellerId` is `null` for those of the operator's own products. */
export type CouponsOf = Pick<Coupon, 'sellerId' | 'isLive'>;

export interface CouponFilter {
  readonly isLive: boolean;
  /** `undefined`: those of all sellers. */
  readonly sellers: readonly (UserId | null)[] | undefined;
  /** Only coupons with smaller ids, for the next page. */
  readonly before?: CouponId | undefined;
  readonly limit: number;
}

/**
 * Coupons. `OrderStore.add` lets an order use one, and `OrderStore.change` gives the use back: `uses` is always the number of
 * orders for which `couponUsedBy` returns the coupon, without those whose held use was given back by `giveBack`.
 */
export interface CouponStore {
  /** Refuses a code that another coupon of the seller has which was not ended, and more than `couponLimits.active` of these. */
  add(
    coupon: Omit<Coupon, 'id' | 'uses'>,
    event: Event,
  ): Promise<Coupon | Refused<'coupon_exists' | 'too_many_coupons'>>;
  find(id: CouponId): Promise<Coupon | undefined>;
  /** The coupon with this code that was not ended. */
  findByCode(of: CouponsOf, code: string): Promise<Coupon | undefined>;
  /** Whether a seller has a coupon that was not ended. */
  hasAny(of: CouponsOf): Promise<boolean>;
  /** Newest first. */
  list(filter: CouponFilter): Promise<Coupon[]>;
  /** A change never changes `uses`. */
  readonly change: ChangeById<CouponId, Coupon>;
  /** Gives back the use that an order only holds: see `isCouponHeld`. Does nothing if it uses it, or holds none. */
  giveBack(order: OrderId): Promise<void>;
  /** The orders that use a coupon now, newest first. Only orders with smaller ids than `before`. */
  ordersWith(id: CouponId, before: OrderId | undefined, limit: number): Promise<Order[]>;
  /** Whether an account has an order of a product that is usable. */
  owns(userId: UserId, productId: ProductId): Promise<boolean>;
}
