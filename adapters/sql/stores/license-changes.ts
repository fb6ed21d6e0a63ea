import type { Knex } from 'knex';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import type { License } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import { OutcomeUnknown } from '../../../core/outcome-unknown.ts';
import type { LicenseChange, Scene } from '../../../core/ports/license-store.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { createBatcher } from '../batch.ts';
import type { Database } from '../database.ts';
import { toLicense, toScene } from './license-rows.ts';
import { type ChangedLicense, lockLicenses, saveChanges, takenKeys } from './license-writes.ts';
import { lockFree, type Named } from './named-activations.ts';

/** A change of a license and some of its hosts. */
export interface DomainChange {
  readonly key: LicenseKey;
  readonly named: readonly DomainName[];
  /** Returns `undefined` if nothing changes. May be called again if the transaction is repeated. */
  readonly decide: (license: License, scene: Scene) => LicenseChange | undefined;
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
  const rowsOf = await lockFree(
    trx,
    changes.flatMap(({ key, named }): Named[] => {
      const row = licenses.get(key);
      return row && !startsWithOthers(row) ? [{ row, named }] : [];
    }),
  );
  const changed: ChangedLicense[] = [];
  const outcomes = changes.map(({ key, decide }): Outcome => {
    const row = licenses.get(key);
    if (row === undefined) return locked.has(key) ? 'alone' : 'unknown';
    const rows = rowsOf.get(row.id) ?? [];
    if (rows === 'locked' || startsWithOthers(row)) return 'alone';
    const change = decide(toLicense(row), toScene(row, rows));
    if (change) changed.push({ row, change });
    return 'done';
  });
  await saveChanges(trx, changed);
  return outcomes;
}

/** Whether the first activation of the license would write the rows of other hosts too. They are not locked here. */
function startsWithOthers({ days_from_activation: days, free_domains: others }: Named['row']): boolean {
  return days !== null && others > 0;
}
