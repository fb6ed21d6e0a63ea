import type { Knex } from 'knex';
import type { KeyedRequest } from '../../core/events/event.ts';
import type { Instant } from '../../core/ports/clock.ts';
import { importAnswer, KeyLost } from '../contracts/idempotency-store.ts';
import { isPostgres } from './database.ts';

/** A row of the table `idempotency`. */
export interface KeyedRow {
  readonly key: string;
  readonly fingerprint: string;
  /** `null` in rows of older versions. */
  readonly owner: string | null;
  readonly taken_at: number;
  /** `null` until the request has ended. */
  readonly status: number | null;
  readonly body: string | null;
}

/** A request that has changed something. */
interface ChangeRow {
  readonly owner: string;
  readonly at: number;
}

export const keyedRows = 'idempotency';
const changes = 'idempotency_changes';

/** Values of the column `status`. Older versions stored HTTP statuses there. */
export const statuses = { known: 200, unknown: 503 } as const;

/**
 * Marks in the transaction of a change that this request has changed something. Throws `KeyLost` if it does not hold its
 * key any more. Until the end of the transaction, nobody takes the key over, but its answer can be stored.
 */
export async function markChanged(trx: Knex.Transaction, { key, owner }: KeyedRequest): Promise<void> {
  const held = await trx<KeyedRow>(keyedRows).where({ key, owner }).forKeyShare().first('taken_at');
  if (held === undefined) throw new KeyLost();
  if (await hasChanged(trx, owner)) return;
  await trx<ChangeRow>(changes).insert({ owner, at: held.taken_at }).onConflict('owner').ignore();
}

/** Whether a change of this request was committed. */
export async function hasChanged(trx: Knex, owner: string | null): Promise<boolean> {
  return (await trx(changes).where({ owner }).first('owner')) !== undefined;
}

/** Frees the keys of requests that count as abandoned and have changed nothing. */
export async function freeAbandoned(trx: Knex.Transaction, before: Instant): Promise<void> {
  const abandoned = () => trx<KeyedRow>(keyedRows).where('taken_at', '<', before).whereNull('status');
  // Locked first: the second statement then sees every change of them. A transaction that may still change something
  // holds a lock, and is stepped over.
  const found = abandoned();
  if (isPostgres(trx)) found.forUpdate().skipLocked();
  const keys: string[] = await found.pluck('key');
  if (keys.length === 0) return;
  const changed = trx(changes).select('owner');
  await abandoned()
    .whereIn('key', keys)
    .where((row) => row.whereNull('owner').orWhereNotIn('owner', changed))
    .delete();
}

/** Answers can be large, so each request deletes only some of the old ones. That is more than it adds. */
const forgottenAtOnce = 20;

/** Forgets the request that had this key long ago, and some others of that time. */
export async function forgetKeyed(trx: Knex.Transaction, key: string, now: Instant, before: Instant): Promise<void> {
  const old = () => trx<KeyedRow>(keyedRows).where('taken_at', '<', before);
  const oldest = old().select('key').orderBy('taken_at').limit(forgottenAtOnce);
  await old()
    .where((row) => row.where({ key }).orWhereIn('key', oldest))
    .delete();
  // A change can be older than its key: a long request renews the key. So changes are kept twice as long.
  const keptFor = now - before;
  await trx<ChangeRow>(changes)
    .where('at', '<', before - keptFor)
    .delete();
}

/** Frees the key of a request. Returns whether the request held it. */
export async function freeKey(trx: Knex.Transaction, { key, owner }: KeyedRequest): Promise<boolean> {
  await unmark(trx, owner);
  return (await trx<KeyedRow>(keyedRows).where({ key, owner }).delete()) > 0;
}

async function unmark(trx: Knex.Transaction, owner: string): Promise<void> {
  await trx(changes).where({ owner }).delete();
}

/** Whether an import that has not ended holds the key of this request. */
export async function isImporting(trx: Knex, { key, owner }: Pick<KeyedRow, 'key' | 'owner'>): Promise<boolean> {
  const running = await trx('license_imports').where({ request_key: key, request_owner: owner }).first('id');
  return running !== undefined;
}

/** Keeps the result of an import under the key of its request, in the transaction that finishes it. */
export async function keepImported(
  trx: Knex.Transaction,
  { key, owner }: KeyedRequest,
  ended: Parameters<typeof importAnswer>[0],
): Promise<void> {
  const body = JSON.stringify(importAnswer(ended));
  await trx<KeyedRow>(keyedRows).where({ key, owner }).update({ status: statuses.known, body });
}

/**
 * Settles the key of an undone import, in the transaction that undoes it. If the request still runs (`isAlive`), it frees
 * its key itself.
 */
export async function settleUndone(trx: Knex.Transaction, request: KeyedRequest, isAlive: boolean): Promise<void> {
  if (isAlive) await unmark(trx, request.owner);
  else await freeKey(trx, request);
}
