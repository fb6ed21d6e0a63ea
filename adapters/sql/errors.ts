import { Unavailable } from '../../core/unavailable.ts';
import { codeOf, isNetworkError } from '../system-error.ts';
import { withoutValues } from './statement-failed.ts';

/** SQLite's codes for temporary faults, and for a full disk. */
const passingInSqlite = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_CANTOPEN']);

/**
 * Network errors, too many connections, a full disk, a server that is starting or stopping, and one that is read-only
 * (25006: a standby before failover ends). 55P03: a lock was not available in time. 26000 and 42P05 occur behind a
 * pooler, if another session prepared the statement. 08P01 comes from PgBouncer: no connection was available in time.
 */
const passingInPostgres = /^(?:08...|53...|55P03|57P0[1-5]|57014|25P0[34]|25006|26000|42P05|58030)$/;
/** Conflicts between transactions. They become rarer when fewer transactions run at once. */
const conflictsInPostgres = ['40001', '40P01'];

/** Connection errors of pg and knex that have no error code. Knex puts the statement before the message. */
const passingMessages =
  /(?:^| - )(?:Connection terminated|Client (?:has encountered a connection error|was closed)|Query read timeout|timeout expired|Defined query timeout|timeout exceeded when trying to connect|Knex: Timeout acquiring)/;

/**
 * Runs the work. Throws `Unavailable` if the database is temporarily unavailable. Removes row values and query
 * parameters from the driver's errors, because errors are logged.
 */
export async function translate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = withoutValues(error);
    if (isPassing(error)) throw new Unavailable('The database cannot be used at the moment.', { cause });
    throw cause;
  }
}

/** Whether a transaction in Postgres conflicted with another one (serialization, deadlock, duplicate key). */
export function isConflict(error: unknown): boolean {
  return [...conflictsInPostgres, '23505'].includes(codeOf(error) ?? '');
}

/** Whether Postgres ended a transaction that waited for another one, which waited for it. */
export function isDeadlock(error: unknown): boolean {
  return codeOf(error) === '40P01';
}

/** Whether a statement waited for a lock longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** Returns the result of the work, or `undefined` if a lock was not available in time. */
export async function unlessLocked<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return undefined;
  }
}

/**
 * Whether the driver timed out waiting for an answer. The error has no code, and knex puts the statement before the
 * message.
 */
export function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && /(?:^| - )Query read timeout$/.test(error.message);
}

function isPassing(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  if (passingInSqlite.has(code) || passingInPostgres.test(code) || conflictsInPostgres.includes(code)) return true;
  return isNetworkError(error) || (error instanceof Error && passingMessages.test(error.message));
}
