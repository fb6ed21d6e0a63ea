import type { Knex } from 'knex';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import type { Activation, License } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import { OutcomeUnknown } from '../../../core/outcome-unknown.ts';
import type { LicenseChange } from '../../../core/ports/license-store.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { createBatcher } from '../batch.ts';
import { type Database, isPostgres } from '../database.ts';
import { type ActivationRow, toActivation, toLicense } from './license-rows.ts';
import {
  activationsAt,
  type ChangedLicense,
  lockActivations,
  lockLicenses,
  type Place,
  saveChanges,
  takenKeys,
} from './license-writes.ts';

/** A change of a license and one of its domains. */
export interface DomainChange {
  readonly key: LicenseKey;
  readonly domain: DomainName;
  /** Returns `undefined` if nothing changes. May be called again if the transaction is repeated. */
  readonly decide: (license: License, activation: Activation | undefined) => LicenseChange | undefined;
}

/**
 * `unknown`: no license has this key. `alone`: the change was not made, because another session has locked its rows, or
 * because one change of its batch failed. It needs a transaction of its own.
 */
type Outcome = 'done' | 'unknown' | 'alone';

interface Waiting extends DomainChange {
  readonly since: number;
}

/**
 * A batch is small, so that its transaction is short. So few changes may wait that each waits for seconds, not for
 * minutes.
 */
const limits = { waiting: 2_000, batch: 100, pauses: true };

/**
 * Makes the changes of many licenses in one transaction, because a transaction costs much more than a change. Never
 * waits for a locked row. There must be no two changes of one license at the same time. If the database is unavailable,
 * the changes that already wait throw `Unavailable` too, because each would wait in vain.
 */
export function createLicenseChanges(write: Database['write']): (change: DomainChange) => Promise<Outcome> {
  let failedAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;

  async function attempt(changes: readonly DomainChange[]): Promise<Outcome[]> {
    try {
      return await write((trx) => changeAll(trx, changes));
    } catch (error) {
      if (!(error instanceof Unavailable || error instanceof OutcomeUnknown)) return changes.map(() => 'alone');
      failedAt = performance.now();
      failure = error;
      throw error;
    }
  }

  const { submit } = createBatcher(async (changes: readonly Waiting[]) => {
    const [oldest] = changes;
    if (oldest && oldest.since <= failedAt) {
      throw new Unavailable('The previous changes of licenses failed.', { cause: failure });
    }
    return await attempt(changes);
  }, limits);
  return (change) => submit({ ...change, since: performance.now() });
}

async function changeAll(trx: Knex.Transaction, changes: readonly DomainChange[]): Promise<Outcome[]> {
  const keys = changes.map(({ key }) => key);
  const licenses = new Map((await lockLicenses(trx, keys, 'skip')).map((row) => [row.key, row]));
  const locked = await takenKeys(
    trx,
    keys.filter((key) => !licenses.has(key)),
  );
  const places = changes.flatMap(({ key, domain }): Place[] => {
    const row = licenses.get(key);
    return row ? [[row.id, domain]] : [];
  });
  const activations = await activationsOf(trx, places);
  const changed: ChangedLicense[] = [];
  const outcomes = changes.map(({ key, domain, decide }): Outcome => {
    const row = licenses.get(key);
    if (row === undefined) return locked.has(key) ? 'alone' : 'unknown';
    const activation = activations.get(nameOf(row.id, domain));
    if (activation === 'locked') return 'alone';
    const change = decide(toLicense(row), activation && toActivation(activation));
    if (change) changed.push({ row, change });
    return 'done';
  });
  await saveChanges(trx, changed);
  return outcomes;
}

/** Locks the activations that exist, except those that another session has locked. */
async function activationsOf(
  trx: Knex.Transaction,
  places: readonly Place[],
): Promise<ReadonlyMap<string, ActivationRow | 'locked'>> {
  // A separate statement, because the activations must be as new as the locked licenses.
  const found = new Map<string, ActivationRow | 'locked'>();
  if (places.length === 0) return found;
  const existing: ActivationRow[] = await activationsAt(trx, places);
  if (existing.length === 0) return found;
  if (isPostgres(trx)) for (const row of existing) found.set(nameOf(row.license_id, row.domain), 'locked');
  const free = isPostgres(trx) ? await lockActivations(trx, places, 'skip') : existing;
  for (const row of free) found.set(nameOf(row.license_id, row.domain), row);
  return found;
}

function nameOf(licenseId: number, domain: string): string {
  return `${licenseId} ${domain}`;
}
