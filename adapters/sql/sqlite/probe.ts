import type sqlite3 from 'sqlite3';
import { translate } from '../errors.ts';
import { closeConnection, execute, foldingBack, openConnection } from './connection.ts';
import { type SqliteWatch, sqliteCodeOf } from './watch.ts';

/** It waits for nobody and for no disk. */
const pragmas = `PRAGMA busy_timeout = 0; PRAGMA synchronous = NORMAL; ${foldingBack}`;

/** Tries whether an SQLite file can be written. */
export interface SqliteProbe {
  /** Throws `Unavailable` if it cannot. Waits for nobody. */
  tryWriting(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes one page on a connection of its own, which is opened by the first try that can. It syncs nothing to disk and holds the write lock
 * for a moment only. Where a write has just succeeded, that is proof enough and nothing is written.
 */
export function createSqliteProbe(
  file: string,
  watch: Pick<SqliteWatch, 'isWritable' | 'guard' | 'assertRoom'>,
): SqliteProbe {
  let opening: Promise<sqlite3.Database> | undefined;
  const exec = async (sql: string) => {
    opening ??= open(file).catch((error: unknown) => {
      opening = undefined; // The next try opens it anew.
      throw error;
    });
    await execute(await opening, sql);
  };
  const write = async () => {
    try {
      await exec('PRAGMA user_version = 0');
    } catch (error) {
      // Somebody else is writing: the watch learns how that ends.
      if (sqliteCodeOf(error) !== 'SQLITE_BUSY') throw error;
    }
    await watch.assertRoom();
  };
  return {
    async tryWriting() {
      if (!watch.isWritable()) await watch.guard(() => translate(write));
    },
    async close() {
      const connection = await opening?.catch(() => undefined);
      if (connection) await closeConnection(connection);
    },
  };
}

async function open(file: string): Promise<sqlite3.Database> {
  const connection = await openConnection(file);
  try {
    await execute(connection, pragmas);
    return connection;
  } catch (error) {
    await closeConnection(connection);
    throw error;
  }
}
