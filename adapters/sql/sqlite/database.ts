import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type sqlite3 from 'sqlite3';
import { codeOf } from '../../system-error.ts';
import type { CopyableDatabase, Database } from '../database.ts';
import { translate } from '../errors.ts';
import { migrate } from '../migrate.ts';
import { NoDatabase, type Opening } from '../no-database.ts';
import { transact } from '../transact.ts';
import { createTurns, type Turns } from '../turns.ts';
import { openClient } from './client.ts';
import { busyTimeout, checkpointPragmas, execute } from './connection.ts';
import { createSqliteProbe } from './probe.ts';
import { type DatabaseTrouble, type SqliteWatch, watchSqlite } from './watch.ts';

/** An SQLite database in a file. */
export interface SqliteDatabase extends CopyableDatabase {
  readonly file: string;
  /** Runs the writes of this process one at a time, in order of arrival. SQLite does not order waiting writers. */
  readonly turns: Turns;
  readonly watch: SqliteWatch;
}

const pragmas = [
  `PRAGMA busy_timeout = ${busyTimeout}`,
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA foreign_keys = ON',
  checkpointPragmas,
].join(';');

/**
 * Sets up a connection to an SQLite file. If several connections switch a new file to WAL at once, SQLite refuses all
 * but one without waiting. The others retry.
 */
export async function prepare(connection: sqlite3.Database): Promise<void> {
  const deadline = AbortSignal.timeout(busyTimeout);
  for (;;) {
    try {
      return await execute(connection, pragmas);
    } catch (error) {
      if (codeOf(error) !== 'SQLITE_BUSY' || deadline.aborted) throw error;
      await setTimeout(20);
    }
  }
}

/**
 * Opens an SQLite file and brings its schema up to date. If the file does not exist, creates it, or, with `mustExist`,
 * throws `NoDatabase` and writes nothing. Calls `report` if there is trouble with the file later.
 */
export async function openSqlite(
  path: string,
  { mustExist = false }: Opening = {},
  report: (trouble: DatabaseTrouble) => void = () => undefined,
): Promise<SqliteDatabase> {
  const file = resolve(path);
  // An empty file counts as missing, because SQLite creates the file before it writes.
  if (mustExist && !statSync(file, { throwIfNoEntry: false })?.size) throw new NoDatabase(file);
  mkdirSync(dirname(file), { recursive: true });
  const connection = openClient(file, prepare);
  const turns = createTurns();
  const write: Database['write'] = (work) => turns(() => translate(() => transact(connection, work)));
  try {
    const migrated = await migrate({ write }, { mustExist, place: file });
    const watch = watchSqlite(file, report);
    const probe = createSqliteProbe(file, watch);
    const read: Database['read'] = (work) => watch.guard(() => translate(async () => await work(connection)));
    return {
      file,
      turns,
      watch,
      migrated,
      read,
      async write(work) {
        const result = await watch.guard(() => write(work));
        watch.passed();
        return result;
      },
      copyTo: async (copy) => void (await read((knex) => knex.raw('VACUUM INTO ?', [copy]))),
      async check() {
        await watch.look();
        await probe.tryWriting();
      },
      async close() {
        watch.stop();
        await probe.close();
        await connection.destroy();
      },
    };
  } catch (error) {
    await connection.destroy();
    throw error;
  }
}
