import type { Knex } from 'knex';
import type { Order } from '../../../core/purchases/order.ts';
import { type OrderRow, toOrder } from './order-rows.ts';

/** Returns these orders, in the order of their ids. Others that change them, or what belongs to them, wait. */
export async function holdOrders(trx: Knex.Transaction, ids: readonly number[]): Promise<readonly Order[]> {
  if (ids.length === 0) return [];
  const rows: OrderRow[] = await trx('orders')
    .whereIn('id', [...new Set(ids)])
    .orderBy('id')
    .forUpdate();
  return rows.map(toOrder);
}
