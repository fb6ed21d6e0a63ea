import type sqlite3 from 'sqlite3';
import { translate } from '../errors.ts';
import { checkpointPragmas, closeConnection, execute, openConnection } from './connection.ts';
import { type SqliteWatch, sqliteCodeOf } from './watch.ts';

/** With these, the probe waits neither for locks nor for the disk. */
const pragmas = `PRAGMA busy_timeout = 0; PRAGMA synchronous = NORMAL; ${checkpointPragmas}`;

/** Checks whether an SQLite file is writable. */
export interface SqliteProbe {
  /** Throws `Unavailable` if the file is not writable. Does not wait for locks. */
  tryWriting(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes one page on a separate connection, which is opened at its first use. Does not sync to disk, and has the write
 * lock only for a moment. If another write has just succeeded, the file is known to be writable, and the probe writes
 * nothing.
 */
export function createSqliteProbe(
  file: string,
  watch: Pick<SqliteWatch, 'isWritable' | 'guard' | 'assertRoom'>,
): SqliteProbe {
  let opening: Promise<sqlite3.Database> | undefined;
  const exec = async (sql: string) => {
    opening ??= open(file).catch((error: unknown) => {
      opening = undefined; // The next try opens it again.
      throw error;
    });
    await execute(await opening, sql);
  };
  const write = async () => {
    try {
      await exec('PRAGMA user_version = 0');
    } catch (error) {
      // Another connection is writing. The watch sees the result of that write.
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
