import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import type sqlite3 from 'sqlite3';
import type { Abort } from '../../../core/abort.ts';
import { createQueue } from '../../queue.ts';
import { codeOf } from '../../system-error.ts';
import type { CopyableDatabase, Database } from '../database.ts';
import { translate } from '../errors.ts';
import { inSteps } from '../in-steps.ts';
import { migrate } from '../migrate.ts';
import { NoDatabase, type Opening } from '../no-database.ts';
import { createParts, pace } from '../paced-writes.ts';
import { transact } from '../transact.ts';
import { createTurns, type Turns } from '../turns.ts';
import { openClient } from './client.ts';
import { busyTimeout, checkpointPragmas, execute } from './connection.ts';
import { createSqliteProbe } from './probe.ts';
import { type DatabaseTrouble, type SqliteWatch, watchSqlite } from './watch.ts';

/** An SQLite database in a file. */
export interface SqliteDatabase extends CopyableDatabase {
  readonly file: string;
  /** Runs the writes of this process one at a time. SQLite does not order waiting writers. */
  readonly turns: Turns;
  readonly watch: SqliteWatch;
}

const pragmas = [
  // Only the first connection to a new file can set this. In others, it takes effect with the next `VACUUM`.
  'PRAGMA auto_vacuum = INCREMENTAL',
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
  // Only one write waits for the connection, so that reads pass the others. It gets the connection first, then the turn:
  // verifications wait for the turn, so whoever has it must not wait behind reads.
  const inLine = createQueue({ atOnce: 1, waiting: Number.POSITIVE_INFINITY });
  const inTurn = async <T>(work: (trx: Knex.Transaction) => Promise<T>) => {
    const own = await connection.client.acquireConnection();
    try {
      return await turns(() => transact(connection, work, own));
    } finally {
      await connection.client.releaseConnection(own);
    }
  };
  const write: Database['write'] = (work) => translate(() => inLine(() => inTurn(work)));
  try {
    const migrated = await migrate({ write }, { mustExist, place: file });
    const watch = watchSqlite(file, report);
    const probe = createSqliteProbe(file, watch);
    const read: Database['read'] = (work) => watch.guard(() => translate(async () => await work(connection)));
    const watchedWrite: Database['write'] = async (work) => {
      const result = await watch.guard(() => write(work));
      watch.passed();
      return result;
    };
    return {
      file,
      turns,
      watch,
      migrated,
      read,
      parts: createParts(pace.sqlite),
      write: watchedWrite,
      shrink: (stop) => shrink({ read, write: watchedWrite }, stop),
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

/** The pages of one step. Each may have to be moved, which holds the writer for some milliseconds in all. */
const pagesInStep = 50;
/** Free pages that stay, because the next rows need them: 4 MB. */
const spare = 1_000;
/** The value of `PRAGMA auto_vacuum` for `INCREMENTAL`. */
const incremental = 2;

/**
 * `Database.shrink`. Does nothing for a file that was made without `auto_vacuum`: only a whole `VACUUM` can change that,
 * and it holds the writer for as long as it takes.
 */
async function shrink({ read, write }: Pick<Database, 'read' | 'write'>, stop?: Abort): Promise<number> {
  const value = async (pragma: 'auto_vacuum' | 'freelist_count') => {
    const [row]: Readonly<Record<string, number>>[] = await read((knex) => knex.raw(`PRAGMA ${pragma}`));
    return row?.[pragma] ?? 0;
  };
  if ((await value('auto_vacuum')) !== incremental) return 0;
  return await inSteps(async () => {
    if (stop?.aborted) return undefined;
    const free = await value('freelist_count');
    if (free <= spare) return undefined;
    await write((trx) => trx.raw(`PRAGMA incremental_vacuum(${Math.min(pagesInStep, free - spare)})`));
    const returned = free - (await value('freelist_count'));
    return returned > 0 ? returned : undefined;
  });
}
