import type { Knex } from 'knex';
import type { Event } from '../../../core/events/event.ts';
import type { OrderId } from '../../../core/id.ts';
import { withinSlots } from '../../../core/licensing/activations.ts';
import type { License } from '../../../core/licensing/license.ts';
import { eventOfRemoved } from '../../../core/licensing/license-events.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { HeldLicense, OrderChange } from '../../../core/ports/order-store.ts';
import { isBundle, licenseOf, type Order } from '../../../core/purchases/order.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import { isRowId, returned } from '../database.ts';
import { addWorkAnew, addWorkFor } from './add-work.ts';
import { record } from './audit-log.ts';
import { followCoupon } from './coupon-uses.ts';
import { insertingLicenses, tellOfNew } from './license-issue.ts';
import { readPeriods, savePeriods } from './license-periods.ts';
import { type ActivationRow, type LockedLicenseRow, toActivation, toLicense } from './license-rows.ts';
import { lockAll, updateLicenses } from './license-writes.ts';
import { documentsOf } from './order-documents.ts';
import { changedOrderRow, type OrderRow, toOrder } from './order-rows.ts';
import { subscriptionsOf } from './order-subscriptions.ts';
import { replaceOrderTexts } from './order-texts.ts';
import { lockByAnyKey } from './orders-of-license.ts';
import { tell } from './tell.ts';
import { tellOfLicenses, tellOfOrder } from './webhook-outbox.ts';

/** `OrderStore.change`, in a transaction. Locks the order, and then its license. */
export async function changeOrder<R extends string>(
  trx: Knex.Transaction,
  id: OrderId,
  decide: (order: Order, held: HeldLicense | undefined) => OrderChange | Refused<R>,
): Promise<Order | Refused<R> | undefined> {
  const row: OrderRow | undefined = isRowId(id) ? await trx('orders').where({ id }).forUpdate().first() : undefined;
  if (row === undefined) return undefined;
  const before = toOrder(row);
  const held = await holdLicense(trx, before);
  const decision = decide(before, held);
  if (isRefused(decision)) return decision;
  const { after, events, license, lookAt, news } = decision;
  if (lookAt !== undefined) await addWorkFor(trx, 'order', id, lookAt);
  const [first] = events;
  if (first === undefined) return before;
  if (license !== undefined && 'changed' in license && license.periods) {
    await lookAtSubscriptions(trx, id, license.changed.key, first.at);
  }
  const all = license === undefined ? events : [...events, ...(await saveLicense(trx, license, held, events))];
  const parts = decision.parts === undefined ? [] : await changeParts(trx, after, decision.parts);
  if (isBundle(after) && before.paidAt === null && after.paidAt !== null) {
    await trx('products').where({ id: after.productId }).increment('sold', 1);
  }
  const documents = await documentsOf(trx, before, after, first.at);
  const rows: OrderRow[] = await trx('orders')
    .where({ id })
    .update({ ...changedOrderRow(after), ...documents, revision: before.revision + 1 })
    .returning('*');
  const stored = toOrder(returned(rows));
  await replaceOrderTexts(trx, before, stored);
  await followCoupon(trx, before, stored);
  await record(trx, all);
  if (stored.partOf === null) await tellOfOrder(trx, events, stored, parts);
  if (news) await tell(trx, news(stored, parts));
  return stored;
}

/**
 * Changes the parts of an order, each as an order of its own. Returns all of them. Works in the order of their products, whose
 * rows it locks: orders of two bundles with the same products must not wait for each other.
 */
async function changeParts(
  trx: Knex.Transaction,
  after: Order,
  decide: NonNullable<OrderChange['parts']>,
): Promise<readonly Order[]> {
  const changed = new Map<OrderId, Order>();
  const parts = await readParts(trx, [after.id]);
  for (const { id } of parts.toSorted((one, other) => one.productId - other.productId)) {
    const part = await changeOrder(trx, id, (before, held) => decide(after, before, held));
    if (part !== undefined && !isRefused(part)) changed.set(id, part);
  }
  return parts.map((part) => changed.get(part.id) ?? part);
}

/** `OrderStore.partsOf`. */
export async function readParts(knex: Knex, ids: readonly OrderId[]): Promise<Order[]> {
  const rows: OrderRow[] = await knex('orders')
    .whereIn('part_of', [...ids])
    .orderBy('id');
  return rows.map(toOrder);
}

interface Held extends HeldLicense {
  readonly row: LockedLicenseRow;
}

/**
 * Locks the license of an order. Its periods, and the order for which it was issued, are read after that: they change only
 * while the license is locked.
 */
async function holdLicense(trx: Knex.Transaction, order: Order): Promise<Held | undefined> {
  const key = licenseOf(order);
  const row = key === null ? undefined : await lockByAnyKey(trx, key);
  if (row === undefined) return undefined;
  const periods = await readPeriods(trx.queryBuilder().where({ 'p.license_id': row.id }));
  const first: OrderRow | undefined =
    order.renews !== null && periods.length === 0
      ? await trx<OrderRow>('orders').where({ license_key: row.key }).first()
      : undefined;
  return { row, license: toLicense(row), periods, origin: first && toOrder(first) };
}

/** What pays for a license can have changed by what another order did. So its subscriptions are looked at. */
async function lookAtSubscriptions(trx: Knex.Transaction, id: OrderId, key: LicenseKey, now: Instant): Promise<void> {
  const rows: { id: number }[] = await subscriptionsOf(trx, [key]).whereNot({ id }).select('id');
  for (const row of rows) await addWorkAnew(trx, 'order', row.id, now);
}

/** Returns the events of what follows besides. */
async function saveLicense(
  trx: Knex.Transaction,
  license: NonNullable<OrderChange['license']>,
  held: Held | undefined,
  events: readonly Event[],
): Promise<readonly Event[]> {
  if ('issued' in license) {
    const { issued, periods } = license;
    const clash = await insertingLicenses([issued])(trx);
    if (clash !== undefined) throw new Error(clash.detail);
    if (periods) {
      const [row]: { id: number }[] = await trx('licenses').where({ key: issued.key }).select('id');
      await savePeriods(trx, Number(row?.id), [], periods);
    }
    await trx('products').where({ id: issued.productId }).increment('sold', 1);
    await tellOfNew(trx, [issued], events);
    return [];
  }
  const { changed, periods } = license;
  if (held?.row.key !== changed.key) throw new Error('The changed license is not that of the order.');
  const { row } = held;
  // The database writes all hosts of the license if its standing, an end or its entitlements change.
  await lockAll(trx, [row.id]);
  const told = events.filter(({ subject }) => subject === changed.key);
  const { kept, removal } = await keepWithinSlots(trx, row, changed, told);
  await updateLicenses(trx, [{ row, license: kept, added: 0 }]);
  if (periods) await savePeriods(trx, row.id, held.periods, periods);
  await tellOfLicenses(
    trx,
    [...told, ...removal].map((event) => ({ event, license: kept })),
  );
  return removal;
}

/** Deletes the newest hosts for which the changed license has no slot any more. Its hosts must be locked. */
async function keepWithinSlots(
  trx: Knex.Transaction,
  { id, domains_used: used }: LockedLicenseRow,
  changed: License,
  [why]: readonly Event[],
): Promise<{ readonly kept: License; readonly removal: readonly Event[] }> {
  if (why === undefined || used <= changed.maxDomains) return { kept: changed, removal: [] };
  const newest: ActivationRow[] = await trx('activations')
    .where({ license_id: id, kind: 'slot', ends_at: null })
    .orderBy('ordinal', 'desc')
    .limit(used - changed.maxDomains);
  const decided = withinSlots(changed, newest.map(toActivation));
  if (decided === undefined) return { kept: changed, removal: [] };
  const by = { actor: why.actor, reason: why.reason ?? undefined };
  await trx('activations')
    .where({ license_id: id, kind: 'slot', ends_at: null })
    .where('ordinal', '>=', newest.at(-1)?.ordinal ?? 0)
    .delete();
  await trx('license_instances')
    .where({ license_id: id })
    .whereNotIn('domain', trx('activations').where({ license_id: id }).select('domain'))
    .delete();
  return { kept: decided.license, removal: [eventOfRemoved(changed.key, decided, by, why.at)] };
}
