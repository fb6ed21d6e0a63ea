import type { Knex } from 'knex';
import { createBatcher } from './batch.ts';
import { type Database, isPostgres } from './database.ts';

/** Bounds of one read, and of those who wait. `patience` in milliseconds: who waited longer gets `Unavailable`. */
const limits = { batch: 200, waiting: 20_000, patience: 10_000 };

/**
 * Makes a read that is shared: while one runs, the next calls collect, and are then read together. Nobody waits for a timer, and
 * each call is read after it came, so it sees what was written before. `readAll` gets each key once.
 */
export function sharedRead<Found>(
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, Found>>,
): (key: string) => Promise<Found | undefined> {
  const { submit } = createBatcher<string, Found | undefined>(async (asked) => {
    const found = await readAll([...new Set(asked)]);
    return asked.map((key) => found.get(key));
  }, limits);
  return (key) => submit(key);
}

/** Several keys as one value of a statement: see `hasOneOf`. */
export type Keys = string | readonly string[];

/** Makes a shared read of rows by key. `rowsOf` returns at most one row for a key. */
export function sharedRowRead<Row>(
  read: Database['read'],
  rowsOf: (knex: Knex, keys: Keys) => PromiseLike<readonly Row[]>,
  keyOf: (row: Row) => string,
): (key: string) => Promise<Row | undefined> {
  return sharedRead(async (keys) => {
    const rows = await read((knex) => rowsOf(knex, isPostgres(knex) ? keys : JSON.stringify(keys)));
    return new Map(rows.map((row) => [keyOf(row), row]));
  });
}

/** The condition that a column has one of these keys. `type` is that of the column. Keys of a column of integers are decimal digits. */
export function hasOneOf(knex: Knex, column: string, keys: Keys, type: 'text' | 'integer' = 'text'): Knex.Raw {
  const list = isPostgres(knex) ? `= ANY(?::${type}[])` : `IN (SELECT CAST(value AS ${type}) FROM json_each(?))`;
  return knex.raw(`${column} ${list}`, [keys as string]);
}
