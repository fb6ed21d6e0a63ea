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
 * Adds the start, the order and the limit of a range to a query. The query also returns rows that come after the range, and
 * the caller has to leave them out. In return, it reads at most `count` rows, whatever is in the table and in its statistics:
 *
 * - If the first columns were compared with `=`, Postgres could read all rows in the order of the last column, and filter.
 * - If the range ended at a later column, Postgres would read on behind the end.
 * - Postgres does not know the value of the sub-select when it plans. So it expects too many rows to read and sort them all.
 */
export function inRange(knex: Knex, query: Knex.QueryBuilder, range: IndexRange, count: number): Knex.QueryBuilder {
  const cells = Object.entries({ ...range.within, ...range.from });
  const columns = cells.map(([column]) => `${range.table}.${column}`);
  const values = cells.map(([, value]) => value);
  const [begin, end] = range.direction === 'asc' ? ['>', '<='] : ['<', '>='];
  const first = isPostgres(knex) ? '(SELECT CAST(? AS integer))' : '?';
  const marks = columns.map((_, n) => (n === 0 ? first : '?'));
  return query
    .whereRaw(`(${columns.join(', ')}) ${begin}${range.isAfter ? '' : '='} (${marks.join(', ')})`, values)
    .whereRaw(`${columns[0]} ${end} ${first}`, values.slice(0, 1))
    .orderBy(columns.map((column) => ({ column, order: range.direction })))
    .limit(count);
}
