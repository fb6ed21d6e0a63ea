import type { Knex } from 'knex';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { Order } from '../../../core/purchases/order.ts';
import { isPostgres } from '../database.ts';
import type { LicenseRow, LockedLicenseRow } from './license-rows.ts';
import { lockLicenses, lockTimeout } from './license-writes.ts';
import { type OrderRow, toOrder } from './order-rows.ts';
import { replaceOrderTexts } from './order-texts.ts';

/** Locks the orders that name a license, until the end of the transaction. Call it before the license is locked. */
export async function lockOrdersOf(trx: Knex.Transaction, key: LicenseKey): Promise<readonly OrderRow[]> {
  if (isPostgres(trx)) await trx.raw("SELECT set_config('lock_timeout', ?, true)", [lockTimeout]);
  return await trx<OrderRow>('orders').where({ license_key: key }).orWhere({ renews: key }).orderBy('id').forUpdate();
}

/**
 * Names a license by its new key in these orders, and in the texts by which a search finds them. Lock the license before you
 * read the orders: an order that is placed meanwhile waits for it, and then names the license by its new key.
 */
export async function renameInOrders(
  trx: Knex.Transaction,
  orders: readonly OrderRow[],
  from: LicenseKey,
  to: LicenseKey,
): Promise<void> {
  const renamed = (key: string | null) => (key === from ? to : key);
  for (const before of orders) {
    const changed = { license_key: renamed(before.license_key), renews: renamed(before.renews) };
    await trx('orders').where({ id: before.id }).update(changed);
    await replaceOrderTexts(trx, toOrder(before), toOrder({ ...before, ...changed }));
  }
}

/**
 * Names the license that a new order renews by its present key, which can have replaced the one that the buyer's page read.
 * Locks the license, so that its key is not replaced before the order can be seen. Call it after other orders are locked.
 */
export async function nameByPresentKey(trx: Knex.Transaction, placed: Order): Promise<Order> {
  const row = placed.renews === null ? undefined : await lockByAnyKey(trx, placed.renews);
  if (row === undefined || row.key === placed.renews) return placed;
  const named: Order = { ...placed, renews: row.key as LicenseKey };
  await trx('orders').where({ id: placed.id }).update({ renews: named.renews });
  await replaceOrderTexts(trx, placed, named);
  return named;
}

/** Locks the license that has this key, or had it before a new one replaced it. */
export async function lockByAnyKey(trx: Knex.Transaction, key: LicenseKey): Promise<LockedLicenseRow | undefined> {
  const [row] = await lockLicenses(trx, [key], 'wait');
  if (row !== undefined) return row;
  const present = await findByFormerKey(trx, key);
  return present && (await lockLicenses(trx, [present.key as LicenseKey], 'wait'))[0];
}

/** Returns the license that has this key, or had it before a new one replaced it. */
export async function findByAnyKey(knex: Knex, key: LicenseKey): Promise<LicenseRow | undefined> {
  return (await knex('licenses').where({ key }).first()) ?? (await findByFormerKey(knex, key));
}

async function findByFormerKey(knex: Knex, key: LicenseKey): Promise<LicenseRow | undefined> {
  return await knex('license_aliases as a')
    .join('licenses as l', 'l.id', 'a.license_id')
    .where('a.key', key)
    .first('l.*');
}
