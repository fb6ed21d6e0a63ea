import type { Knex } from 'knex';
import { isPostgres } from './database.ts';

/** Columns with their types, for a statement that takes its rows from JSON. */
export type Types<Row> = Readonly<Record<keyof Row & string, 'text' | 'integer' | 'bigint'>>;

/** Passes rows as one JSON text. This is many times faster than one parameter for each cell. */
export function jsonOf(rows: readonly (readonly unknown[])[]): string {
  return JSON.stringify(rows);
}

/** The rows of such a text, as `r`. */
export function given(knex: Knex, json: string): Knex.Raw {
  return knex.raw(isPostgres(knex) ? 'json_array_elements(?::json) AS r(value)' : 'json_each(?) AS r', [json]);
}

/** The cells of a row, in the order of their columns. */
export function cells(columns: Readonly<Record<string, string>>): string {
  return Object.values(columns)
    .map((type, index) => `CAST(r.value ->> ${index} AS ${type})`)
    .join(', ');
}

/** Returns a function that inserts many rows in one statement, in their order. */
export function inserting<Row>(
  table: string,
  types: Types<Row>,
  rows: readonly Row[],
): (trx: Knex.Transaction) => Promise<void> {
  const names = Object.keys(types) as (keyof Row & string)[];
  const json = jsonOf(rows.map((row) => names.map((name) => wellFormed(row[name]))));
  return async (trx) => {
    if (rows.length > 0) {
      await trx.raw(`INSERT INTO ${table} (${names.join(', ')}) SELECT ${cells(types)} FROM ?`, [given(trx, json)]);
    }
  };
}

/** Replaces halves of characters, which Postgres refuses in JSON. */
export function wellFormed<Value>(value: Value): Value | string {
  return typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\uFFFD') : value;
}
