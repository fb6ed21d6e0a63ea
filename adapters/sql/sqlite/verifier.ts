import { promisify } from 'node:util';
import type sqlite3 from 'sqlite3';
import { codeOf } from '../../system-error.ts';
import type { ObserveBatch } from '../batch.ts';
import { translate } from '../errors.ts';
import { createVerifier, type Verifier } from '../verifier.ts';
import { busyTimeout, closeConnection, execute, openConnection } from './connection.ts';
import { prepare, type SqliteDatabase } from './database.ts';
import { type Added, addCounts, type Read, type Rows, readFacts, tablesOn } from './verification-tables.ts';

/**
 * How long SQLite itself waits for the write lock, in milliseconds. SQLite tries after 1, 3 and 8 ms, and then less and
 * less often. With a longer wait, another process with many short writes would get the lock first again and again.
 */
const lockWait = 8;

/** Retries while another process has the lock, for at most `busyTimeout`. */
async function unlocked<T>(statement: () => Promise<T>): Promise<T> {
  const until = performance.now() + busyTimeout;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (codeOf(error) !== 'SQLITE_BUSY' || performance.now() > until) throw error;
    }
  }
}

/**
 * Verifies on a separate connection. Its writes take turns with the other writes of the process, and go first: each is
 * short, and many callers wait for it. `cacheSize`: see `VerificationTables`.
 */
export async function openSqliteVerifier(
  { file, turns, watch }: Pick<SqliteDatabase, 'file' | 'turns' | 'watch'>,
  observe?: ObserveBatch,
  cacheSize?: number,
): Promise<Verifier> {
  const connection = await openConnection(file);
  await prepare(connection);
  await execute(connection, `PRAGMA busy_timeout = ${lockWait}`);
  const facts = connection.prepare(readFacts);
  const counts = connection.prepare(addCounts);
  const all = <Row>(statement: sqlite3.Statement, rows: Rows) =>
    watch.guard(() =>
      translate(() =>
        unlocked(
          () =>
            new Promise<Row[]>((resolve, reject) => {
              statement.all<Row>(JSON.stringify(rows), (error, found) => (error ? reject(error) : resolve(found)));
            }),
        ),
      ),
    );
  return createVerifier(
    {
      cacheSize,
      ...tablesOn({
        facts: (rows) => all<Read>(facts, rows),
        async counts(rows) {
          const added = await turns(() => all<Added>(counts, rows), 'first');
          if (added.length > 0) watch.wrote();
          return added;
        },
      }),
      async close() {
        await promisify(facts.finalize.bind(facts))();
        await promisify(counts.finalize.bind(counts))();
        await closeConnection(connection);
      },
    },
    observe,
  );
}
