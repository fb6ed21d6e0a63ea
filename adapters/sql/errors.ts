import { Unavailable } from '../../core/unavailable.ts';

/** The codes of SQLite for what may be gone in a moment, or when somebody has made room. */
const passing = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_CANTOPEN']);

/** Runs the work; an outage of the database that it ends in is thrown as `Unavailable`. */
export async function translate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code === 'string' && passing.has(code)) {
      throw new Unavailable('The database cannot be used at the moment.', { cause: error });
    }
    throw error;
  }
}
