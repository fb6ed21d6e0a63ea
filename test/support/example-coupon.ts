import type { Database } from '../../adapters/sql/database.ts';
import { toCouponRow } from '../../adapters/sql/stores/coupon-rows.ts';
import type { UserId } from '../../core/id.ts';
import { newCoupon } from './coupons.ts';

/** The coupon that the examples of the API reference read and end. */
export const exampleCoupon = 12;

/** Leaves the seller with this coupon only, so that the one which the example makes has a free code. */
export async function prepareCoupon({ write }: Pick<Database, 'write'>, sellerId: UserId | null): Promise<void> {
  const row = toCouponRow({ ...newCoupon({ sellerId, code: 'AUTUMN' }), uses: 0 });
  await write(async (trx) => {
    await trx('coupons').delete();
    await trx('coupons').insert({ ...row, id: exampleCoupon });
  });
}
