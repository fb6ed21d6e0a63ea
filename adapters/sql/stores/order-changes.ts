import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import type { OrderId } from '../../../core/id.ts';
import type { License } from '../../../core/licensing/license.ts';
import type { OrderChange } from '../../../core/ports/order-store.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import { isRowId, returned } from '../database.ts';
import { addWorkFor } from './add-work.ts';
import { record } from './audit-log.ts';
import { insertingLicenses, tellOfNew } from './license-issue.ts';
import { type LockedLicenseRow, toLicense } from './license-rows.ts';
import { lockAll, lockLicenses, updateLicenses } from './license-writes.ts';
import { changedOrderRow, type OrderRow, toOrder } from './order-rows.ts';
import { replaceOrderTexts } from './order-texts.ts';
import { tell } from './tell.ts';
import { tellOfLicenses, tellOfOrder } from './webhook-outbox.ts';

/** `OrderStore.change`, in a transaction. Locks the order, and then its license. */
export async function changeOrder<R extends string>(
  trx: Knex.Transaction,
  id: OrderId,
  decide: (order: Order, license: License | undefined) => OrderChange | Refused<R>,
): Promise<Order | Refused<R> | undefined> {
  const row: OrderRow | undefined = isRowId(id) ? await trx('orders').where({ id }).forUpdate().first() : undefined;
  if (row === undefined) return undefined;
  const before = toOrder(row);
  const [held] = before.licenseKey === null ? [] : await lockLicenses(trx, [before.licenseKey], 'wait');
  const decision = decide(before, held && toLicense(held));
  if (isRefused(decision)) return decision;
  const { after, events, license, lookAt, news } = decision;
  if (lookAt !== undefined) await addWorkFor(trx, 'order', id, lookAt);
  if (events.length === 0) return before;
  if (license !== undefined) await saveLicense(trx, license, held, events);
  const number = await numberOf(trx, before, after);
  const rows: OrderRow[] = await trx('orders')
    .where({ id })
    .update({ ...changedOrderRow(after), number, revision: before.revision + 1 })
    .returning('*');
  const stored = toOrder(returned(rows));
  await replaceOrderTexts(trx, before, stored);
  await record(trx, events);
  await tellOfOrder(trx, events, stored);
  if (news) await tell(trx, news(stored));
  return stored;
}

async function saveLicense(
  trx: Knex.Transaction,
  license: NonNullable<OrderChange['license']>,
  held: LockedLicenseRow | undefined,
  events: readonly Event[],
): Promise<void> {
  if ('issued' in license) {
    const { issued } = license;
    const clash = await insertingLicenses([issued])(trx);
    if (clash !== undefined) throw new Error(clash.detail);
    await trx('products').where({ id: issued.productId }).increment('sold', 1);
    await tellOfNew(trx, [issued], events);
    return;
  }
  const { changed } = license;
  if (held?.key !== changed.key) throw new Error('The changed license is not that of the order.');
  if (held.standing !== changed.standing) await lockAll(trx, [held.id]);
  await updateLicenses(trx, [{ row: held, license: changed, added: 0 }]);
  const told = events.filter(({ subject }) => subject === changed.key);
  await tellOfLicenses(
    trx,
    told.map((event) => ({ event, license: changed })),
  );
}

/** Returns the number of the receipt. Others who want one of the same seller wait, so that a rollback leaves no gap. */
async function numberOf(trx: Knex.Transaction, before: Order, after: Order): Promise<number | null> {
  if (before.number !== null || after.paidAt === null || after.agreed.price === 0) return before.number;
  const rows: { last: number }[] = await trx('order_numbers')
    .insert({ seller_id: after.sellerId ?? 0, is_live: Number(after.isLive), last: 1 })
    .onConflict(['seller_id', 'is_live'])
    .merge({ last: trx.raw('order_numbers.last + 1') })
    .returning('last');
  return returned(rows).last;
}
