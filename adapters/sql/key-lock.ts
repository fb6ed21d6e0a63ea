import type { Knex } from 'knex';
import { advisoryLocks } from './advisory-locks.ts';
import { isPostgres } from './database.ts';

/**
 * Prevents two transactions from taking the same license key. Transactions that issue licenses share the lock, and a
 * transaction that stages an import holds it alone. So each of them sees the keys that the other has committed. Does
 * nothing on SQLite, which has only one writer.
 */
export async function lockKeys(trx: Knex.Transaction, how: 'shared' | 'alone'): Promise<void> {
  if (!isPostgres(trx)) return;
  await trx.raw(`SELECT pg_advisory_xact_lock${how === 'shared' ? '_shared' : ''}(?)`, [advisoryLocks.keys]);
}
