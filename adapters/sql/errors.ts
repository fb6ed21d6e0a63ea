import { Unavailable } from '../../core/unavailable.ts';

/** The codes of SQLite for what may be gone in a moment, or when somebody has made room. */
const passingInSqlite = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_CANTOPEN']);

/** Connection trouble, too many connections or too little room, and a server that is starting or stopping. */
const passingInPostgres = /^(?:08...|53...|57P0[1-4]|57014|25P03|58030)$/;
const passingInNetwork = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** What pg and knex say, without a code, of a connection that broke or could not be had in time; knex puts the statement before it. */
const passingMessages =
  /(?:^| - )(?:Connection terminated|Client (?:has encountered a connection error|was closed)|timeout exceeded when trying to connect|Knex: Timeout acquiring)/;

/** Runs the work; an outage of the database that it ends in is thrown as `Unavailable`. */
export async function translate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isPassing(error)) throw new Unavailable('The database cannot be used at the moment.', { cause: error });
    throw error;
  }
}

/** Postgres could not put the transaction in order with others (serialization, deadlock, a key that another took first). */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01', '23505'].includes(codeOf(error));
}

function isPassing(error: unknown): boolean {
  const code = codeOf(error);
  if (passingInSqlite.has(code) || passingInPostgres.test(code) || passingInNetwork.has(code)) return true;
  return error instanceof Error && passingMessages.test(error.message);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
