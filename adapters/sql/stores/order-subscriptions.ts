import type { Knex } from 'knex';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { OrderFilter, Recurring } from '../../../core/ports/order-store.ts';
import type { SubscriptionStatus } from '../../../core/ports/subscriptions.ts';
import { licenseOf, type Order } from '../../../core/purchases/order.ts';
import type { SubscriptionState } from '../../../core/purchases/subscription.ts';
import { comparableId } from '../database.ts';
import { type OrderRow, toOrder } from './order-rows.ts';

const goesOn = (status: string) => ({ subscription_status: status, is_cancelled: 0 });

/** The columns of a subscription in each state. `cancelled` is one that has not ended: see `whereSubscribed`. */
const cellsOf = {
  running: goesOn('active'),
  past_due: goesOn('past_due'),
  paused: goesOn('paused'),
  cancelled: { is_cancelled: 1 },
  ended: { subscription_status: 'ended' },
} as const satisfies Record<SubscriptionState, object>;

/** Adds the condition that an order began a subscription, in one state or in any. The indexes of subscriptions have only such orders. */
export function whereSubscribed(query: Knex.QueryBuilder, table: string, wanted: SubscriptionState | 'any'): void {
  query.whereNotNull(`${table}.subscription_status`);
  if (wanted === 'any') return;
  for (const [column, value] of Object.entries(cellsOf[wanted])) query.where(`${table}.${column}`, value);
  if (wanted === 'cancelled') query.whereNot(`${table}.subscription_status`, 'ended');
}

/** The orders with a subscription of these licenses. */
export function subscriptionsOf(knex: Knex, keys: readonly LicenseKey[]): Knex.QueryBuilder {
  const by = (column: 'license_key' | 'renews') =>
    knex('orders')
      .whereIn(column, [...keys])
      .whereNotNull('subscription_status');
  return knex('orders').whereIn('id', by('license_key').select('id').union(by('renews').select('id')));
}

/** Returns the order of the subscription of each license: the newest of those that have not ended, or else of all. */
export async function subscriptionsByLicense(
  knex: Knex,
  keys: readonly LicenseKey[],
): Promise<ReadonlyMap<string | null, Order>> {
  // Of several for one license, the last one stays.
  const rows: OrderRow[] = await subscriptionsOf(knex, keys).orderByRaw(
    "CASE WHEN subscription_status = 'ended' THEN 0 ELSE 1 END, id",
  );
  return new Map(rows.map(toOrder).map((order) => [licenseOf(order), order]));
}

interface RecurringRow {
  readonly currency: string;
  readonly subscription_status: string;
  readonly is_cancelled: number;
  readonly count: number;
  readonly yearly: number;
}

/**
 * `OrderStore.recurring`: reads those that go on in one index, and those that have ended since `from` with one more look at each.
 */
export async function recurringIn(
  knex: Knex,
  { isLive, sellerId, productId, from }: Pick<OrderFilter, 'isLive' | 'sellerId' | 'productId'> & { from: Instant },
): Promise<Recurring[]> {
  const within = () =>
    knex('orders as o')
      .where({
        ...(sellerId !== undefined && { 'o.seller_id': comparableId(sellerId) }),
        'o.is_live': Number(isLive),
        ...(productId !== undefined && { 'o.product_id': comparableId(productId) }),
      })
      .whereNotNull('o.subscription_status');
  const goingOn: RecurringRow[] = await within()
    .whereIn('o.subscription_status', ['active', 'past_due', 'paused'])
    .select('o.currency', 'o.subscription_status', 'o.is_cancelled')
    .count({ count: '*' })
    .sum({ yearly: 'o.yearly' })
    .groupBy('o.currency', 'o.subscription_status', 'o.is_cancelled');
  const churned: Pick<RecurringRow, 'currency' | 'count'>[] = await within()
    .where('o.subscription_status', 'ended')
    .where('o.subscription_ended_at', '>=', from)
    // A buyer who has changed to another subscription has not gone.
    .whereRaw(`NOT EXISTS (SELECT 1 FROM orders AS n WHERE n.renews = COALESCE(o.license_key, o.renews) AND n.id > o.id
      AND n.subscription_status IS NOT NULL AND n.subscription_status <> 'ended')`)
    .select('o.currency')
    .count({ count: '*' })
    .groupBy('o.currency');
  const currencies = [...new Set([...goingOn, ...churned].map(({ currency }) => currency))].sort();
  return currencies.map((currency) => {
    const own = goingOn.filter((row) => row.currency === currency);
    const kept = own.filter((row) => Number(row.is_cancelled) === 0);
    const countIn = (rows: readonly Pick<RecurringRow, 'currency' | 'count'>[]) =>
      rows.filter((row) => row.currency === currency).reduce((sum, { count }) => sum + Number(count), 0);
    const withStatus = (status: SubscriptionStatus) => kept.filter((row) => row.subscription_status === status);
    const [running, pastDue] = [withStatus('active'), withStatus('past_due')];
    const yearly = [...running, ...pastDue].reduce((sum, row) => sum + Number(row.yearly), 0);
    return {
      currency,
      monthly: Math.round(yearly / 12),
      running: countIn(running),
      pastDue: countIn(pastDue),
      cancelled: countIn(own) - countIn(kept),
      churned: countIn(churned),
    };
  });
}
