import type { Knex } from 'knex';
import type { Instant } from '../../../core/ports/clock.ts';
import { type Order, orderStates, orderTable } from '../../../core/purchases/order.ts';
import type { Database } from '../database.ts';
import { inSteps } from '../in-steps.ts';
import { holdOrders } from './hold-orders.ts';
import { type OrderRow, toOrder } from './order-rows.ts';

/** The orders of one step. Each has rows in several tables. */
const atOnce = 50;

const unpaidStates = orderStates.filter((state) => orderTable[state].stage !== 'paid');

/**
 * `OrderStore.forget`. Goes through the unpaid orders of each mode and state by their ids. These are almost in the
 * order of the times: clocks of servers differ a little.
 */
export async function forgetOrders(
  { read, write }: Pick<Database, 'read' | 'write'>,
  before: Instant,
  isForgotten: (order: Order) => boolean,
): Promise<number> {
  let deleted = 0;
  for (const is_live of [0, 1]) {
    for (const state of unpaidStates) {
      let seen = 0;
      deleted += await inSteps(async () => {
        const rows: OrderRow[] = await read((knex) =>
          knex('orders').where({ is_live, state, part_of: null }).where('id', '>', seen).orderBy('id').limit(atOnce),
        );
        const old = rows.filter(({ created_at: at }) => at < before);
        if (old.length === 0) return undefined;
        seen = old.at(-1)?.id ?? seen;
        const ids = old.flatMap((row) => (isForgotten(toOrder(row)) ? [row.id] : []));
        return ids.length === 0 ? 0 : await write((trx) => deleteOrders(trx, ids, isForgotten));
      });
    }
  }
  return deleted;
}

async function deleteOrders(
  trx: Knex.Transaction,
  picked: readonly number[],
  isForgotten: (order: Order) => boolean,
): Promise<number> {
  const orders = await holdOrders(trx, picked);
  // Of money that came in USDC, the order is what says why there is no license.
  const paidInPart: number[] = await trx('usdc_quotes as q')
    .join('usdc_transfers as t', 't.quote_id', 'q.id')
    .whereIn('q.order_id', picked)
    .pluck('q.order_id');
  // Licenses of a bundle whose payment its chain has taken back.
  const withKeys: number[] = await trx('orders')
    .whereIn('part_of', picked)
    .whereNotNull('license_key')
    .pluck('part_of');
  // A claim that a person still has to decide about.
  const claimed: number[] = await trx('usdc_claims')
    .whereIn('order_id', picked)
    .where({ state: 'open' })
    .pluck('order_id');
  const kept = new Set([...paidInPart, ...withKeys, ...claimed]);
  const gone = orders.filter((order) => !kept.has(order.id) && isForgotten(order));
  if (gone.length === 0) return 0;
  const whole = gone.map(({ id }) => id);
  const parts: number[] = await trx('orders').whereIn('part_of', whole).pluck('id');
  const ids = [...whole, ...parts];
  await trx('order_texts').whereIn('order_id', ids).delete();
  await trx('usdc_claims').whereIn('order_id', ids).delete();
  await trx('usdc_quotes').whereIn('order_id', ids).delete();
  await trx('work').where({ kind: 'order' }).whereIn('subject_id', ids).delete();
  // A list of types would make SQLite read all events of these types.
  await trx('audit_log').whereIn('subject', ids.map(String)).where('type', 'like', 'order.%').delete();
  // The first event of an order names the product. It has the time of the order.
  for (const { createdAt, agreed } of gone) {
    await trx('audit_log').where({ type: 'order.added', at: createdAt, subject: agreed.slug }).delete();
  }
  await trx('orders').whereIn('id', ids).delete();
  return whole.length;
}
