import { promisify } from 'node:util';
import sqlite3 from 'sqlite3';

/** Milliseconds for which a connection waits while others have the write lock. */
export const busyTimeout = 10_000;

/** Bytes that the log keeps once it is folded back; it is larger only while somebody reads an old snapshot. */
export const logLimit = 64 * 1024 * 1024;

/** For each connection that writes: otherwise it would leave the log of an idle server to grow. */
export const foldingBack = `PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = ${logLimit}`;

/** Opens a connection to an SQLite file that exists. */
export function openConnection(file: string): Promise<sqlite3.Database> {
  return new Promise((resolve, reject) => {
    const connection: sqlite3.Database = new sqlite3.Database(file, sqlite3.OPEN_READWRITE, (error) =>
      error ? reject(error) : resolve(connection),
    );
  });
}

/** Runs statements that return nothing. */
export function execute(connection: sqlite3.Database, statements: string): Promise<void> {
  return (promisify(connection.exec.bind(connection)) as (sql: string) => Promise<void>)(statements);
}

export function closeConnection(connection: sqlite3.Database): Promise<void> {
  return promisify(connection.close.bind(connection))();
}

/**
 * Has the transactions of a connection take the write lock at their start: one that reads first and writes later could be refused
 * half-way. Knex has no setting for that, and begins them with `all`.
 */
export function beginImmediately(connection: sqlite3.Database): void {
  const { all } = connection;
  Object.assign(connection, {
    all: (sql: string, ...rest: unknown[]) =>
      Reflect.apply(all, connection, [sql === 'BEGIN;' ? 'BEGIN IMMEDIATE;' : sql, ...rest]),
  });
}
