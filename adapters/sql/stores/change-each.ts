import type { Knex } from 'knex';
import type { License } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { LicenseChange, LicenseStore, Scene } from '../../../core/ports/license-store.ts';
import { isRefused, type Refused, refuse } from '../../../core/refusal.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import type { Database } from '../database.ts';
import { createShortTurns, within } from '../paced-writes.ts';
import { thenSpread } from '../webhook-fan-out.ts';
import { toLicense, toScene } from './license-rows.ts';
import { type ChangedLicense, lockAll, lockLicenses, saveChanges, takenKeys } from './license-writes.ts';

type Decide<C extends LicenseChange, R extends string> = (license: License, scene: Scene) => C | Refused<R>;

/** A license can have many domains, so the first transaction is small. */
const limits = { fewest: 20, patience: 0 };
/** A change writes all domains of a license. So many take about as long as the license. */
const domainsOfRow = 50;

/**
 * Changes many licenses in short transactions. Licenses that another session has locked are changed alone, after the
 * others.
 */
export function createChangeEach(
  database: Pick<Database, 'read' | 'write' | 'parts'>,
  change: LicenseStore['change'],
): LicenseStore['changeEach'] {
  return async <C extends LicenseChange, R extends string>(keys: readonly LicenseKey[], decide: Decide<C, R>) => {
    const turns = createShortTurns(database, limits);
    const results = new Map<LicenseKey, C | Refused<R | 'invalid_key'>>();
    const alone: LicenseKey[] = [];
    try {
      const domains = await domainsOf(database, keys);
      for (let from = 0; from < keys.length; ) {
        const { some, rows } = within(turns.rows(), keys, from, (key) => (domains.get(key) ?? 0) / domainsOfRow);
        const inTurn: Database['write'] = (work) => turns.take(rows, work);
        const done = await thenSpread(database, inTurn, (trx) => changeSome(trx, some, decide));
        for (const key of some) {
          const result = done.get(key);
          if (result === undefined) alone.push(key);
          else results.set(key, result);
        }
        from += some.length;
      }
      for (const key of alone) results.set(key, await change(key, undefined, decide));
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
    return keys.map((key) => results.get(key));
  };
}

/** Returns how many domains each of the licenses has, by key. */
async function domainsOf({ read }: Pick<Database, 'read'>, keys: readonly LicenseKey[]): Promise<Map<string, number>> {
  const rows: { key: string; domains_used: number; free_domains: number }[] = await read((knex) =>
    knex('licenses').whereIn('key', keys).select('key', 'domains_used', 'free_domains'),
  );
  return new Map(rows.map((row) => [row.key, row.domains_used + row.free_domains]));
}

/** Changes those of the licenses that nobody else has locked, and returns their results. */
async function changeSome<C extends LicenseChange, R extends string>(
  trx: Knex.Transaction,
  keys: readonly LicenseKey[],
  decide: Decide<C, R>,
): Promise<Map<string, C | Refused<R | 'invalid_key'>>> {
  const results = new Map<string, C | Refused<R | 'invalid_key'>>();
  const changed: ChangedLicense[] = [];
  const rows = await lockLicenses(trx, keys, 'skip');
  for (const row of rows) {
    const change = decide(toLicense(row), toScene(row, []));
    results.set(row.key, change);
    if (!isRefused(change)) changed.push({ row, change });
  }
  const others = keys.filter((key) => !results.has(key));
  const locked = await takenKeys(trx, others);
  for (const key of others) if (!locked.has(key)) results.set(key, refuse('invalid_key'));
  await lockAll(
    trx,
    changed.map(({ row }) => row.id),
  );
  await saveChanges(trx, changed);
  return results;
}
