import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import knex from 'knex';
import SqliteClient from 'knex/lib/dialects/sqlite3/index.js';
import type sqlite3 from 'sqlite3';
import type { Database } from './database.ts';
import { translate } from './errors.ts';
import { migrate } from './migrate.ts';
import { createTurns, type Turns } from './turns.ts';

/** A database in one file. */
export interface SqliteDatabase extends Database {
  readonly file: string;
  /** One writer at a time within the process, first come, first served: SQLite's own waiting is a lottery. */
  readonly turns: Turns;
}

export const busyTimeout = 10_000;

const pragmas = [
  `PRAGMA busy_timeout = ${busyTimeout}`,
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA foreign_keys = ON',
  'PRAGMA wal_autocheckpoint = 8000',
].join(';');

/**
 * Readies a connection to an SQLite file. Of those that open a new file at once, SQLite refuses all but one the switch
 * to WAL, and does not wait: they ask again.
 */
export async function prepare(connection: sqlite3.Database): Promise<void> {
  const exec = promisify(connection.exec.bind(connection)) as (sql: string) => Promise<void>;
  const patience = AbortSignal.timeout(busyTimeout);
  for (;;) {
    try {
      return await exec(pragmas);
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY';
      if (!isBusy || patience.aborted) throw error;
      await setTimeout(20);
    }
  }
}

/** Opens an SQLite file, made where there is none, and brings its schema up to date. */
export async function openSqlite(path: string): Promise<SqliteDatabase> {
  const file = resolve(path);
  mkdirSync(dirname(file), { recursive: true });
  const connection = knex({
    client: ImmediateSqlite,
    connection: { filename: file },
    useNullAsDefault: true,
    // What fails is thrown; Knex would print it on standard output as well.
    log: { warn: () => undefined },
    pool: {
      min: 1,
      max: 1,
      afterCreate: (raw: sqlite3.Database, done: (error: Error | null) => void) => {
        prepare(raw).then(() => done(null), done);
      },
    },
  });
  const turns = createTurns();
  const database: Omit<SqliteDatabase, 'migrated'> = {
    file,
    turns,
    read: (work) => translate(async () => await work(connection)),
    write: (work) => turns(() => translate(() => connection.transaction(work))),
    close: () => connection.destroy(),
  };
  try {
    return { ...database, migrated: await migrate(database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Takes the write lock at the start of a transaction: one that reads first and writes later could be refused half-way. */
class ImmediateSqlite extends SqliteClient {
  override _query(connection: unknown, query: { sql: string }): Promise<unknown> {
    return super._query(connection, query.sql === 'BEGIN;' ? { ...query, sql: 'BEGIN IMMEDIATE;' } : query);
  }
}
