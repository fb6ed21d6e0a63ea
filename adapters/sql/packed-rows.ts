import type { Knex } from 'knex';
import { isPostgres } from './database.ts';

/** One or more rows as one text: a JSON array for each row, with commas between them. `null` if there were none. */
export interface PackedRows {
  readonly packed: string | null;
}

/**
 * Selects columns as one text, for many rows of many columns: the drivers make each cell apart, which takes two to three times as
 * long. Not for columns with bytes.
 */
export function packed(knex: Knex, columns: readonly string[]): Knex.Raw {
  const cells = columns.join(', ');
  return knex.raw(isPostgres(knex) ? `json_build_array(${cells})::text AS packed` : `json_array(${cells}) AS packed`);
}

/**
 * Reads all rows of a query of `packed` columns as one row, because the drivers take time for each row too. If the query has an order, it must
 * also have a limit: without one, the database may ignore the order.
 */
export function inOneRow(knex: Knex, query: Knex.QueryBuilder): Knex.QueryBuilder {
  const joined = isPostgres(knex) ? "string_agg(q.packed, ',')" : "group_concat(q.packed, ',')";
  return knex.from(query.as('q')).select(knex.raw(`${joined} AS packed`));
}

/** The cells of each row, in the order of the columns. */
export function unpacked<Cells extends readonly unknown[]>(rows: readonly PackedRows[]): readonly Cells[] {
  return JSON.parse(`[${rows.flatMap((row) => row.packed ?? []).join(',')}]`);
}

/** Returns a function that makes rows of their cells. `columns` are the packed ones, in their order. */
export function unpackedAs<Row>() {
  return <const Columns extends readonly (keyof Row)[]>(columns: Columns) =>
    (rows: readonly PackedRows[]): Pick<Row, Columns[number]>[] =>
      unpacked(rows).map((cells) => {
        const row: { [Column in keyof Row]?: unknown } = {};
        // Faster than `Object.fromEntries`.
        for (let at = 0; at < columns.length; at++) row[columns[at] as keyof Row] = cells[at];
        return row as Pick<Row, Columns[number]>;
      });
}
