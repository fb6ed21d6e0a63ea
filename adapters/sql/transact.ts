import type { Knex } from 'knex';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import { codeOf } from '../system-error.ts';
import { withoutValues } from './statement-failed.ts';

/**
 * Runs the work in one transaction. Throws `OutcomeUnknown` when COMMIT was sent and the database did not say that it
 * refused it. Whatever else this throws, nothing was written.
 */
export async function transact<T>(connection: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  let isCommitSent = false;
  let failure: { readonly error: unknown } | undefined;
  try {
    return await connection.transaction(async (trx) => {
      try {
        const result = await work(trx);
        isCommitSent = true;
        return result;
      } catch (error) {
        failure = { error };
        throw error;
      }
    });
  } catch (error) {
    if (failure) throw failure.error; // Else the failure of a ROLLBACK on a broken connection would stand for it.
    if (!isCommitSent || isRefusedCommit(error)) throw error;
    throw new OutcomeUnknown('We do not know if the change was made: the answer of the database was lost.', {
      cause: withoutValues(error),
    });
  }
}

/**
 * What Postgres answers to a COMMIT that it has rolled back: faults of the data, conflicts, time-outs. Any other code
 * (shutdown, full disk, broken connection) may come after the commit was written. 40003 says itself that it does not know.
 */
const refusedByPostgres = /^(?:2....|40(?!003)...|42...|44...|55...|57014|P0...)$/;

/** SQLITE_IOERR is not among them: the commit may be in the log, and come back when the file is opened again. */
const refusedBySqlite = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_FULL', 'SQLITE_CONSTRAINT']);

/** Whether the database says that it did not commit. */
export function isRefusedCommit(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return refusedBySqlite.has(code) || refusedByPostgres.test(code);
}
