import { toCouponId, toUserId } from '../../../core/id.ts';
import type { Coupon } from '../../../core/purchases/coupon.ts';

/** A row of `coupons`. */
export interface CouponRow {
  readonly id: number;
  readonly seller_id: number | null;
  readonly is_live: number;
  readonly code: string;
  /** JSON: what no condition of a query needs. */
  readonly terms: string;
  readonly starts_at: number | null;
  readonly ends_at: number | null;
  readonly most_uses: number | null;
  readonly uses: number;
  readonly created_at: number;
  readonly ended_at: number | null;
}

type InTerms = Pick<Coupon, 'takesOff' | 'targets' | 'payments' | 'mostPerBuyer' | 'ownersOf'>;

export function toCoupon(row: CouponRow): Coupon {
  const terms: InTerms = JSON.parse(row.terms);
  return {
    ...terms,
    id: toCouponId(row.id),
    sellerId: row.seller_id === null ? null : toUserId(row.seller_id),
    isLive: row.is_live === 1,
    code: row.code,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    mostUses: row.most_uses,
    uses: row.uses,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}

export function toCouponRow(coupon: Omit<Coupon, 'id'>): Omit<CouponRow, 'id'> {
  const { takesOff, targets, payments, mostPerBuyer, ownersOf } = coupon;
  return {
    seller_id: coupon.sellerId,
    is_live: Number(coupon.isLive),
    code: coupon.code,
    terms: JSON.stringify({ takesOff, targets, payments, mostPerBuyer, ownersOf } satisfies InTerms),
    starts_at: coupon.startsAt,
    ends_at: coupon.endsAt,
    most_uses: coupon.mostUses,
    uses: coupon.uses,
    created_at: coupon.createdAt,
    ended_at: coupon.endedAt,
  };
}
