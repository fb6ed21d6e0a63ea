import type { Knex } from 'knex';
import { advisoryLocks } from './advisory-locks.ts';
import { isPostgres } from './database.ts';

/**
 * Keeps two transactions from taking the same key. Those that issue licenses share the lock; one that stages an import holds it
 * alone. So each sees what the other has written. SQLite has only one writer anyway.
 */
export async function lockKeys(trx: Knex.Transaction, how: 'shared' | 'alone'): Promise<void> {
  if (!isPostgres(trx)) return;
  await trx.raw(`SELECT pg_advisory_xact_lock${how === 'shared' ? '_shared' : ''}(?)`, [advisoryLocks.keys]);
}
