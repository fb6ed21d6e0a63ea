import type { Knex } from 'knex';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import type { License } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { LicenseChange } from '../../../core/ports/license-store.ts';
import { isPostgres } from '../database.ts';
import { record } from './audit-log.ts';
import { changeNotes } from './license-notes.ts';
import {
  type ActivationRow,
  changedLicenseRow,
  type LockedLicenseRow,
  licenseColumns,
  newActivationRow,
  sceneColumns,
} from './license-rows.ts';
import { tellOfLicenses } from './webhook-outbox.ts';

/** How long a statement waits for rows and tables that another session has locked. */
export const lockTimeout = '1s';

/** Whether to wait for locked rows, or to leave them out. Only for Postgres: SQLite has no locked rows. */
type Locked = 'wait' | 'skip';

/**
 * Locks licenses until the end of the transaction. The same statement sets the lock timeout for itself and for the rest
 * of the transaction. This works because the database joins before it locks.
 */
export async function lockLicenses(
  trx: Knex.Transaction,
  keys: readonly LicenseKey[],
  locked: Locked,
): Promise<LockedLicenseRow[]> {
  const licenses = trx<LockedLicenseRow>('licenses as l')
    .join('products as p', 'p.id', 'l.product_id')
    .whereIn('l.key', keys);
  if (isPostgres(trx)) {
    licenses.crossJoin(trx.raw("(SELECT set_config('lock_timeout', ?, true)) AS patience", [lockTimeout]));
    licenses.forUpdate('l');
    if (locked === 'skip') licenses.skipLocked();
  }
  return await licenses.select(
    ...licenseColumns.map((column) => `l.${column}`),
    ...sceneColumns.map((column) => `p.${column}`),
  );
}

/** Returns those of the keys that a license has. */
export async function takenKeys(trx: Knex.Transaction, keys: readonly LicenseKey[]): Promise<ReadonlySet<string>> {
  return new Set(keys.length === 0 ? [] : await trx('licenses').whereIn('key', keys).pluck('key'));
}

/** The domain of a license. */
export type ActivationKey = readonly [licenseId: number, domain: DomainName];

/** Locks activations in the order of verifications, until the end of the transaction. Their licenses must be locked. */
export async function lockActivations(
  trx: Knex.Transaction,
  keys: readonly ActivationKey[],
  locked: Locked,
): Promise<ActivationRow[]> {
  const activations = activationsAt(trx, keys);
  if (isPostgres(trx)) {
    activations.orderBy(['license_id', 'domain']).forUpdate();
    if (locked === 'skip') activations.skipLocked();
  }
  return await activations;
}

/** A batch of verifications locks the rows of its domains. It runs completely before this change, or after it. */
export async function lockAll(trx: Knex.Transaction, ids: readonly number[]): Promise<void> {
  if (!isPostgres(trx) || ids.length === 0) return;
  const held = trx('activations')
    .whereIn('license_id', ids)
    .orderBy(['license_id', 'domain'])
    .forUpdate()
    .select(trx.raw('1'));
  await trx.from(held.as('held')).count({ rows: '*' }); // Only the number of rows is sent.
}

/** Reads activations without a lock. */
export function activationsAt(trx: Knex.Transaction, keys: readonly ActivationKey[]) {
  return trx<ActivationRow>('activations').whereIn(
    ['license_id', 'domain'],
    keys.map(([id, domain]) => [id, domain]),
  );
}

/** Deletes activations, and what clients of other systems called them. Their licenses must be locked. */
export async function deleteActivations(trx: Knex.Transaction, keys: readonly ActivationKey[]): Promise<void> {
  await activationsAt(trx, keys).delete();
  await trx('license_instances')
    .whereIn(
      ['license_id', 'domain'],
      keys.map(([id, domain]) => [id, domain]),
    )
    .delete();
}

/** A change of a locked license. */
export interface ChangedLicense {
  readonly row: LockedLicenseRow;
  readonly change: LicenseChange;
}

/** Saves changes of different licenses, with their events. */
export async function saveChanges(trx: Knex.Transaction, changes: readonly ChangedLicense[]): Promise<void> {
  const changed = changes.filter(({ change }) => change.event !== undefined);
  if (changed.length === 0) return;
  await updateLicenses(
    trx,
    changed.map(({ row, change: { license, add } }) => ({ row, license, added: add ? 1 : 0 })),
  );
  const removed = changed.flatMap(({ row, change: { remove = [] } }) =>
    remove.map((one): ActivationKey => [row.id, one]),
  );
  if (removed.length > 0) await deleteActivations(trx, removed);
  for (const { row, change } of changed) if (change.end) await end(trx, row.id, change.end);
  for (const { row, change } of changed) if (change.prove) await prove(trx, row.id, change.prove);
  const added = changed.flatMap(({ row, change: { add } }) =>
    add ? [newActivationRow(row.id, row.activations_made + 1, add)] : [],
  );
  if (added.length > 0) await trx('activations').insert(added);
  for (const { row, change } of changed) if (change.notes) await changeNotes(trx, row.id, change.notes);
  await record(
    trx,
    changed.flatMap(({ change: { event } }) => event ?? []),
  );
  await tellOfLicenses(
    trx,
    changed.flatMap(({ change: { event, license } }) => (event ? [{ event, license }] : [])),
  );
}

/** Writes the rows of locked licenses, with the number of activations that are added. */
export async function updateLicenses(
  trx: Knex.Transaction,
  changed: readonly { readonly row: LockedLicenseRow; readonly license: License; readonly added: number }[],
): Promise<void> {
  const rows = changed.map(({ row, license, added }) => {
    return { ...changedLicenseRow(license), id: row.id, activations_made: row.activations_made + added };
  });
  await trx.raw(updateAll(rows.length), rows.flatMap(valuesOf));
}

/** The new version makes a verification read the row again, because others may have cached it. */
async function end(trx: Knex.Transaction, id: number, { domain, endsAt, movedTo }: Ending): Promise<void> {
  await trx('activations')
    .where({ license_id: id, domain })
    .update({
      ends_at: endsAt,
      moved_to: movedTo,
      license_version: trx.raw('license_version + 1'),
    });
}

async function prove(
  trx: Knex.Transaction,
  id: number,
  { domain, provenAt }: NonNullable<LicenseChange['prove']>,
): Promise<void> {
  await trx('activations').where({ license_id: id, domain }).update({ proven_at: provenAt });
}

type Ending = NonNullable<LicenseChange['end']>;
type Changed = ReturnType<typeof changedLicenseRow> & Pick<LockedLicenseRow, 'id' | 'activations_made'>;

/** The columns that a change writes, with their types for a statement that has no column to take them from. */
const types = {
  id: 'bigint',
  standing: 'text',
  max_domains: 'bigint',
  domains_used: 'bigint',
  free_domains: 'bigint',
  moves_month: 'text',
  moves_made: 'bigint',
  days_from_activation: 'bigint',
  own_standing: 'text',
  key_removal_at: 'bigint',
  updates_until: 'bigint',
  entitlements: 'text',
  activations_made: 'bigint',
  expires_at: 'bigint',
  retired_verification_count: 'bigint',
  retired_last_verified_at: 'bigint',
} satisfies Record<keyof Changed, string>;
const columns = Object.keys(types) as (keyof Changed)[];
const placeholders = `(${Object.values(types)
  .map((type) => `CAST(? AS ${type})`)
  .join(', ')})`;
const assignments = columns
  .map((name, index) => `${name} = changed.column${index + 1}`)
  .slice(1)
  .join(', ');

function valuesOf(row: Changed) {
  return columns.map((name) => row[name]);
}

/** Returns a statement that updates this many licenses. Both databases name the columns of VALUES `column1` and so on. */
function updateAll(count: number): string {
  const values = Array.from({ length: count }, () => placeholders).join(', ');
  return `UPDATE licenses SET ${assignments} FROM (VALUES ${values}) AS changed WHERE licenses.id = changed.column1`;
}
