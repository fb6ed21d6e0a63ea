import type { Knex } from 'knex';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import { isPostgres } from '../database.ts';
import type { LockedLicenseRow } from './license-rows.ts';
import { lockLicenses, lockTimeout } from './license-writes.ts';
import { type OrderRow, toOrder } from './order-rows.ts';
import { replaceOrderTexts } from './order-texts.ts';

/** Locks the orders that name a license, until the end of the transaction. Call it before the license is locked. */
export async function lockOrdersOf(trx: Knex.Transaction, key: LicenseKey): Promise<readonly OrderRow[]> {
  if (isPostgres(trx)) await trx.raw("SELECT set_config('lock_timeout', ?, true)", [lockTimeout]);
  return await trx<OrderRow>('orders').where({ license_key: key }).orWhere({ renews: key }).orderBy('id').forUpdate();
}

/**
 * Names a license by its new key in these orders, and in the texts by which a search finds them. An order that was placed
 * since they were locked keeps the former key: `lockByAnyKey` finds its license.
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

/** Locks the license that has this key, or had it before a new one replaced it. */
export async function lockByAnyKey(trx: Knex.Transaction, key: LicenseKey): Promise<LockedLicenseRow | undefined> {
  const [row] = await lockLicenses(trx, [key], 'wait');
  if (row !== undefined) return row;
  const present: LicenseKey | undefined = await trx('license_aliases as a')
    .join('licenses as l', 'l.id', 'a.license_id')
    .where('a.key', key)
    .first('l.key')
    .then((found) => found?.key);
  return present === undefined ? undefined : (await lockLicenses(trx, [present], 'wait'))[0];
}
