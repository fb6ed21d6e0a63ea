import { Unavailable } from '../../core/unavailable.ts';
import { codeOf, isNetworkError } from '../system-error.ts';
import { withoutValues } from './statement-failed.ts';

/** The codes of SQLite for what may be gone in a moment, or when somebody has made room. */
const passingInSqlite = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_CANTOPEN']);

/**
 * Connection trouble, too many connections or too little room, a server that is starting or stopping, and one that cannot be
 * written (25006: a standby that takes over in a moment). 55P03: somebody else held a lock for too long. 26000 and 42P05 are a
 * pooler's: another session had the statement. PgBouncer itself says 08P01: no connection left, or none in time.
 */
const passingInPostgres = /^(?:08...|53...|55P03|57P0[1-5]|57014|25P0[34]|25006|26000|42P05|58030)$/;
/** Transactions that stood in each other's way; with less to do at once, they do not. */
const conflictsInPostgres = ['40001', '40P01'];

/** What pg and knex say, without a code, of a connection that broke or could not be had in time; knex puts the statement before it. */
const passingMessages =
  /(?:^| - )(?:Connection terminated|Client (?:has encountered a connection error|was closed)|Query read timeout|timeout expired|Defined query timeout|timeout exceeded when trying to connect|Knex: Timeout acquiring)/;

/**
 * Runs the work. An outage of the database is thrown as `Unavailable`. What a driver throws loses all that it tells of stored or
 * given values, as errors are logged.
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

/** Postgres could not put the transaction in order with others (serialization, deadlock, a key that another took first). */
export function isConflict(error: unknown): boolean {
  return [...conflictsInPostgres, '23505'].includes(codeOf(error) ?? '');
}

/** Somebody else holds what a statement needs, for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** Returns `undefined` if somebody else holds what the work needs. */
export async function unlessLocked<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return undefined;
  }
}

/** The driver waited in vain for an answer. The message has no code, and knex puts the statement before it. */
export function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && /(?:^| - )Query read timeout$/.test(error.message);
}

function isPassing(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  if (passingInSqlite.has(code) || passingInPostgres.test(code) || conflictsInPostgres.includes(code)) return true;
  return isNetworkError(error) || (error instanceof Error && passingMessages.test(error.message));
}
