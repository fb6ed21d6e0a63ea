import type { Knex } from 'knex';
import type { CouponId, OrderId } from '../../../core/id.ts';
import type { NewOrder } from '../../../core/ports/order-store.ts';
import {
  couponUsedBy,
  couponUser,
  isCouponHeld,
  isValidAt,
  unknownCoupon,
  usedUp,
} from '../../../core/purchases/coupon.ts';
import type { Buyer, Order } from '../../../core/purchases/order.ts';
import type { Refused } from '../../../core/refusal.ts';
import { type CouponRow, toCoupon } from './coupon-rows.ts';
import { holdOrders } from './hold-orders.ts';

/**
 * Counts a new order as a use of its coupon, by one conditional update. Its lock makes others who use the same coupon wait, so
 * the uses of one buyer are counted one by one, too. After a refusal, the transaction must be rolled back.
 */
export async function useCoupon(
  trx: Knex.Transaction,
  order: Pick<NewOrder, 'agreed' | 'cycleOf' | 'state' | 'buyer' | 'createdAt'>,
  isProved: boolean,
): Promise<Refused<'coupon_used_up' | 'unknown_coupon'> | undefined> {
  const id = couponUsedBy(order);
  if (id === undefined) return undefined;
  const [row]: CouponRow[] = await trx('coupons')
    .where({ id })
    .whereNull('ended_at')
    .whereRaw('COALESCE(starts_at, 0) <= ?', [order.createdAt])
    .whereRaw('(ends_at IS NULL OR ends_at > ?)', [order.createdAt])
    .whereRaw('(most_uses IS NULL OR uses < most_uses)')
    .update({ uses: trx.raw('uses + 1') })
    .returning('*');
  if (row === undefined) {
    const stored: CouponRow | undefined = await trx('coupons').where({ id }).first();
    return stored && isValidAt(toCoupon(stored), order.createdAt) ? usedUp() : unknownCoupon();
  }
  const { mostPerBuyer, mostUses } = toCoupon(row);
  const isMember = order.buyer.userId !== null;
  if (mostPerBuyer === null && (mostUses === null || !isMember)) return undefined;
  const uses = await usesOf(trx, id, order.buyer, isProved);
  const isOver = mostPerBuyer !== null && uses.length >= mostPerBuyer;
  // Paid late, it takes its use again, whatever the limits.
  const isPayable = isMember && uses.some(({ given_back }) => given_back === 1);
  return isOver || isPayable ? usedUp() : undefined;
}

interface UseRow {
  readonly order_id: number;
  readonly given_back: number;
}

/**
 * The uses of a coupon by a buyer, known by account or by a verified address. One that was given back counts as long as its order
 * can be paid.
 */
async function usesOf(
  trx: Knex.Transaction,
  coupon_id: CouponId,
  buyer: Buyer,
  isProved: boolean,
): Promise<readonly UseRow[]> {
  const { userId, address } = couponUser(buyer, isProved);
  const found = () =>
    trx('coupon_uses as u')
      .join('orders as o', 'o.id', 'u.order_id')
      .where({ 'u.coupon_id': coupon_id })
      .where((query) => query.where({ given_back: 0 }).orWhere({ 'o.state': 'open' }))
      .select('u.order_id', 'u.given_back');
  const byAddress = found().where({ 'u.address': address });
  return await (userId === null ? byAddress : byAddress.union(found().where({ 'o.buyer_id': userId })));
}

/** Notes which order uses the coupon that `useCoupon` has counted. */
export async function noteCouponUse(trx: Knex.Transaction, added: Order, isProved: boolean): Promise<void> {
  if (couponUsedBy(added) !== undefined) await insertUse(trx, added, isProved);
}

/**
 * Gives the use of a coupon back, or takes it again. The row of the use decides, so that nothing is counted twice. An order that is
 * open again holds none.
 */
export async function followCoupon(trx: Knex.Transaction, before: Order, after: Order): Promise<void> {
  if (after.agreed.discount === undefined || after.cycleOf !== null || after.state === before.state) return;
  if (couponUsedBy(after) === undefined) await giveBack(trx, after);
  else if (!isCouponHeld(after)) await takeAgain(trx, after);
}

/** `CouponStore.giveBack`. */
export async function giveBackUse(trx: Knex.Transaction, id: OrderId): Promise<void> {
  const [order] = await holdOrders(trx, [id]);
  if (order && isCouponHeld(order)) await giveBack(trx, order);
}

async function giveBack(trx: Knex.Transaction, { id, agreed }: Order): Promise<void> {
  const changed = await trx('coupon_uses').where({ order_id: id, given_back: 0 }).update({ given_back: 1 });
  if (changed > 0 && agreed.discount) await trx('coupons').where({ id: agreed.discount.coupon }).decrement('uses', 1);
}

/** A process of an older version has deleted the row. */
async function takeAgain(trx: Knex.Transaction, order: Order): Promise<void> {
  const changed = await trx('coupon_uses').where({ order_id: order.id, given_back: 1 }).update({ given_back: 0 });
  if (changed === 0 && (await insertUse(trx, order, false)) === 0) return;
  if (order.agreed.discount) await trx('coupons').where({ id: order.agreed.discount.coupon }).increment('uses', 1);
}

async function insertUse(trx: Knex.Transaction, { id, agreed, buyer }: Order, isProved: boolean): Promise<number> {
  const { address } = couponUser(buyer, isProved);
  const rows = await trx('coupon_uses')
    .insert({ order_id: id, coupon_id: agreed.discount?.coupon, address })
    .onConflict('order_id')
    .ignore()
    .returning('order_id');
  return rows.length;
}
