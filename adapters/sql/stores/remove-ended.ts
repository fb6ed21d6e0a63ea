import type { Knex } from 'knex';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import { isPostgres } from '../database.ts';
import type { ActivationRow } from './license-rows.ts';
import { type ActivationKey, deleteActivations, lockActivations } from './license-writes.ts';

/**
 * Removes activations that have ended, in the order of their ends, and adds their verifications to their licenses. Never
 * waits for a locked row: what is locked now is removed by a later call.
 */
export async function removeEnded(trx: Knex.Transaction, now: number, limit: number): Promise<number> {
  const due: ActivationRow[] = await trx('activations').where('ends_at', '<=', now).orderBy('ends_at').limit(limit);
  if (due.length === 0) return 0;
  const licenses = trx('licenses').whereIn(
    'id',
    due.map(({ license_id: id }) => id),
  );
  if (isPostgres(trx)) licenses.forUpdate().skipLocked();
  const free = new Set<number>(await licenses.pluck('id'));
  const keys = due.flatMap(({ license_id: id, domain }): ActivationKey[] =>
    free.has(id) ? [[id, domain as DomainName]] : [],
  );
  if (keys.length === 0) return 0;
  // Read again, because they may have been removed or activated anew before their licenses were locked.
  const ended = (await lockActivations(trx, keys, 'skip')).filter(({ ends_at: at }) => at !== null && at <= now);
  if (ended.length === 0) return 0;
  await deleteActivations(
    trx,
    ended.map((row): ActivationKey => [row.license_id, row.domain as DomainName]),
  );
  for (const [id, rows] of byLicense(ended)) {
    const times = rows.flatMap(({ last_verified_at: at }) => at ?? []);
    await trx('licenses')
      .where({ id })
      .update({
        retired_verification_count: trx.raw('retired_verification_count + ?', [
          rows.reduce((sum, { verification_count: count }) => sum + count, 0),
        ]),
        ...(times.length > 0 && { retired_last_verified_at: laterOf(trx, Math.max(...times)) }),
      });
  }
  return ended.length;
}

function byLicense(rows: readonly ActivationRow[]): Map<number, ActivationRow[]> {
  const licenses = new Map<number, ActivationRow[]>();
  for (const row of rows) {
    const same = licenses.get(row.license_id);
    if (same) same.push(row);
    else licenses.set(row.license_id, [row]);
  }
  return licenses;
}

/** The later of the stored time, if there is one, and another. */
export function laterOf(trx: Knex.Transaction, at: number): Knex.Raw {
  const time = 'CAST(? AS bigint)';
  return trx.raw(`CASE WHEN retired_last_verified_at > ${time} THEN retired_last_verified_at ELSE ${time} END`, [
    at,
    at,
  ]);
}
