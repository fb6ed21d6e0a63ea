import type { Knex } from 'knex';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import { codeOf } from '../system-error.ts';
import { withoutValues } from './statement-failed.ts';

/**
 * Runs the work in one transaction. Throws `OutcomeUnknown` if COMMIT failed and the database did not say that it
 * refused the commit. After any other error, nothing was written. `own`: a connection of the pool that the caller has taken,
 * and gives back.
 */
export async function transact<T>(
  connection: Knex,
  work: (trx: Knex.Transaction) => Promise<T>,
  own?: unknown,
): Promise<T> {
  let isCommitSent = false;
  let failure: { readonly error: unknown } | undefined;
  try {
    return await connection.transaction(
      async (trx) => {
        try {
          const result = await work(trx);
          isCommitSent = true;
          return result;
        } catch (error) {
          failure = { error };
          throw error;
        }
      },
      { connection: own },
    );
  } catch (error) {
    if (failure) throw failure.error; // An error of ROLLBACK on a broken connection must not hide the first error.
    if (!isCommitSent || isRefusedCommit(error)) throw error;
    throw new OutcomeUnknown('It is unknown whether the change was made: the answer of the database was lost.', {
      cause: withoutValues(error),
    });
  }
}

/**
 * The codes with which Postgres refuses a COMMIT and rolls back: data errors, conflicts, timeouts. After any other code
 * (shutdown, full disk, broken connection) the commit may have been written. 40003 means that the outcome is unknown.
 */
const refusedByPostgres = /^(?:2....|40(?!003)...|42...|44...|55...|57014|P0...)$/;

/** SQLITE_IOERR is not in the list: the commit may be in the WAL, and become valid when the file is opened again. */
const refusedBySqlite = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_FULL', 'SQLITE_CONSTRAINT']);

/** Whether the database says that it did not commit. */
export function isRefusedCommit(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return refusedBySqlite.has(code) || refusedByPostgres.test(code);
}
