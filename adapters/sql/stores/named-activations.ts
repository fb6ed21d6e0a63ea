import type { Knex } from 'knex';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import { twinOf } from '../../../core/licensing/hosts.ts';
import { isPostgres } from '../database.ts';
import type { ActivationRow, LockedLicenseRow } from './license-rows.ts';
import { type ActivationKey, activationsAt, lockActivations } from './license-writes.ts';

/** A locked license, and the hosts that its change is about. */
export interface Named {
  readonly row: LockedLicenseRow;
  readonly named: readonly DomainName[];
}

/**
 * Locks the activations that a change is about: those of the named hosts, of their twins, and those that were moved to
 * one of these. Waits for locked rows.
 */
export async function lockNamed(trx: Knex.Transaction, license: Named): Promise<ActivationRow[]> {
  const keys = keysOf(license);
  const rows = keys.length > 0 ? await lockActivations(trx, keys, 'wait') : [];
  const before = beforeMoves(rows);
  return before.length > 0 ? [...rows, ...(await lockActivations(trx, before, 'wait'))] : rows;
}

/**
 * As `lockNamed`, for many licenses, but never waits. Returns the rows of each license by its id, or `locked` if another
 * session has locked one of them.
 */
export async function lockFree(
  trx: Knex.Transaction,
  licenses: readonly Named[],
): Promise<ReadonlyMap<number, ActivationRow[] | 'locked'>> {
  const found = new Map<number, ActivationRow[] | 'locked'>();
  const keys = licenses.flatMap(keysOf);
  if (keys.length === 0) return found;
  const existing: ActivationRow[] = await activationsAt(trx, keys);
  const before = beforeMoves(existing);
  if (before.length > 0) existing.push(...(await activationsAt(trx, before)));
  if (existing.length === 0) return found;
  const free = isPostgres(trx)
    ? await lockActivations(
        trx,
        existing.map((row): ActivationKey => [row.license_id, row.domain as DomainName]),
        'skip',
      )
    : existing;
  for (const row of free) {
    const same = found.get(row.license_id);
    if (Array.isArray(same)) same.push(row);
    else found.set(row.license_id, [row]);
  }
  const names = new Set(free.map(nameOf));
  for (const row of existing) if (!names.has(nameOf(row))) found.set(row.license_id, 'locked');
  return found;
}

function keysOf({ row, named }: Named): ActivationKey[] {
  const twins = row.www_is_apex === 1 ? named.flatMap((domain) => twinOf(domain) ?? []) : [];
  return [...new Set([...named, ...twins])].map((domain): ActivationKey => [row.id, domain]);
}

/** Where the hosts are, or were, that were moved to the activated ones. */
function beforeMoves(rows: readonly ActivationRow[]): ActivationKey[] {
  const names = new Set(rows.map(nameOf));
  return rows.flatMap(({ license_id: id, moved_from: domain }): ActivationKey[] =>
    domain === null || names.has(nameOf({ license_id: id, domain })) ? [] : [[id, domain as DomainName]],
  );
}

function nameOf({ license_id: id, domain }: Pick<ActivationRow, 'license_id' | 'domain'>): string {
  return `${id} ${domain}`;
}
