import type { Knex } from 'knex';
import { isPostgres } from './database.ts';

/** Columns of an index, in its order, with a value of each. */
export type Cells = Readonly<Record<string, number | string>>;

/** Rows in the order of an index. */
export interface IndexRange {
  /** The alias of the table. */
  readonly table: string;
  /** The first columns of the index, with the values of all rows of the range. The very first is a number. */
  readonly within: Cells;
  /** The columns after these, with the values where the range starts. */
  readonly from: Cells;
  /** Whether it starts after the row with these values. */
  readonly isAfter: boolean;
  readonly direction: 'asc' | 'desc';
}

/**
 * Adds the start, the order and the limit of a range to a query. It reads at most `count` rows, whatever the table
 * and its statistics contain. It may return rows that come after the range: the caller has to leave them out.
 *
 * - If the first columns were compared with `=`, Postgres could read all rows in the order of the last column, and filter.
 * - If the range had an end too, Postgres could read past it, and would expect fewer rows.
 * - Postgres does not know the value of the sub-select when it plans. So it expects too many rows to read and sort them all.
 *
 * SQLite does not use `=` in this way. It compares several columns at once only if none of them is the row id: if `id`
 * comes last in `from`, no other column may come before it in a range that is `isAfter`.
 */
export function inRange(knex: Knex, query: Knex.QueryBuilder, range: IndexRange, count: number): Knex.QueryBuilder {
  const { table, within, from, direction } = range;
  const sign = `${direction === 'asc' ? '>' : '<'}${range.isAfter ? '' : '='}`;
  const columns = (cells: Cells) => Object.keys(cells).map((column) => `${table}.${column}`);
  const all = { ...within, ...from };
  const names = columns(all);
  if (isPostgres(knex)) {
    const values = Object.values(all);
    const unknown = '(SELECT CAST(? AS integer))';
    query.whereRaw(`(${names}) ${sign} (${[unknown, ...values.slice(1).map(() => '?')]})`, values);
  } else {
    for (const [column, value] of Object.entries(within)) query.where(`${table}.${column}`, value);
    query.whereRaw(`(${columns(from)}) ${sign} (${columns(from).map(() => '?')})`, Object.values(from));
  }
  return query.orderBy(names.map((column) => ({ column, order: direction }))).limit(count);
}

/**
 * Joins the row with this id. Postgres finds each one by the id, even if it expects so many rows that it would rather read the
 * whole table. SQLite reads the tables in this order.
 */
export function joinOne(knex: Knex, table: string, alias: string, id: string): string {
  return isPostgres(knex)
    ? `CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE id = ${id} LIMIT 1) AS ${alias}`
    : `CROSS JOIN ${table} AS ${alias} ON ${alias}.id = ${id}`;
}
