import { promisify } from 'node:util';
import knex, { type Knex } from 'knex';
import sqlite3 from 'sqlite3';

/** A separate connection to an SQLite file, without busy timeout. Tests use it to inspect the file and to lock it. */
export interface RawSqlite {
  run(sql: string): Promise<void>;
  all(sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function openRaw(file: string): Promise<RawSqlite> {
  const connection = await new Promise<sqlite3.Database>((resolve, reject) => {
    const opening: sqlite3.Database = new sqlite3.Database(file, (error) => (error ? reject(error) : resolve(opening)));
  });
  const run = promisify(connection.exec.bind(connection)) as (sql: string) => Promise<void>;
  await run('PRAGMA busy_timeout = 0');
  return {
    run,
    all: promisify(connection.all.bind(connection)) as (sql: string) => Promise<Record<string, unknown>[]>,
    close: promisify(connection.close.bind(connection)),
  };
}

/** Returns the names of the tables and indexes in a file, sorted. */
export async function schemaOf(file: string): Promise<string[]> {
  const raw = await openRaw(file);
  const rows = await raw.all("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name");
  await raw.close();
  return rows.map(({ name }) => String(name));
}

/** Opens a database file and does not create the schema. Returns the functions that `migrate` needs. */
export function openUnmigrated(file: string): {
  write<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
} {
  const connection = knex({ client: 'sqlite3', connection: { filename: file }, useNullAsDefault: true });
  return { write: (work) => connection.transaction(work), close: () => connection.destroy() };
}
