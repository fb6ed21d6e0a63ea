import { promisify } from 'node:util';
import sqlite3 from 'sqlite3';

/** How long a connection waits while others have the write lock. In milliseconds. */
export const busyTimeout = 10_000;

/** Maximum size of the write-ahead log after a checkpoint, in bytes. While a reader has an old snapshot, it can be larger. */
export const logLimit = 64 * 1024 * 1024;

/**
 * SQLite keeps these settings for each connection, so every connection that writes must set them. By default, a
 * checkpoint runs every 1,000 pages, and the log never gets smaller.
 */
export const checkpointPragmas = `PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = ${logLimit}`;

/** Opens a connection to an existing SQLite file. */
export function openConnection(file: string): Promise<sqlite3.Database> {
  return new Promise((resolve, reject) => {
    const connection: sqlite3.Database = new sqlite3.Database(file, sqlite3.OPEN_READWRITE, (error) =>
      error ? reject(error) : resolve(connection),
    );
  });
}

/** Runs statements that return no rows. */
export function execute(connection: sqlite3.Database, statements: string): Promise<void> {
  return (promisify(connection.exec.bind(connection)) as (sql: string) => Promise<void>)(statements);
}

export function closeConnection(connection: sqlite3.Database): Promise<void> {
  return promisify(connection.close.bind(connection))();
}

/**
 * Makes the transactions of a connection take the write lock at their start. Otherwise a transaction that reads first
 * could be refused at its first write. Knex has no setting for this, and begins transactions with `all`.
 */
export function beginImmediately(connection: sqlite3.Database): void {
  const { all } = connection;
  Object.assign(connection, {
    all: (sql: string, ...rest: unknown[]) =>
      Reflect.apply(all, connection, [sql === 'BEGIN;' ? 'BEGIN IMMEDIATE;' : sql, ...rest]),
  });
}
