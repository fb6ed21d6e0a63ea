import type { Knex } from 'knex';
import { advisoryLocks } from './advisory-locks.ts';
import { isPostgres } from './database.ts';

/**
 * Prevents two transactions from taking the same license key. Transactions that issue licenses share the lock. A
 * transaction that stages an import takes it alone. So each sees the keys of the other. SQLite has only one writer
 * anyway.
 */
export async function lockKeys(trx: Knex.Transaction, how: 'shared' | 'alone'): Promise<void> {
  if (!isPostgres(trx)) return;
  await trx.raw(`SELECT pg_advisory_xact_lock${how === 'shared' ? '_shared' : ''}(?)`, [advisoryLocks.keys]);
}
