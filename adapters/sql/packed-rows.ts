import type { Knex } from 'knex';
import { isPostgres } from './database.ts';

/** A row whose cells came as one text: a JSON array. */
export interface PackedRow {
  readonly packed: string;
}

/**
 * Selects columns as one text, for many rows of many columns: the drivers make each cell apart, which takes two to three times as
 * long. Not for columns with bytes.
 */
export function packed(knex: Knex, columns: readonly string[]): Knex.Raw {
  const cells = columns.join(', ');
  return knex.raw(isPostgres(knex) ? `json_build_array(${cells})::text AS packed` : `json_array(${cells}) AS packed`);
}

/** The cells of each row, in the order of the columns. */
export function unpacked<Cells extends readonly unknown[]>(rows: readonly PackedRow[]): readonly Cells[] {
  return JSON.parse(`[${rows.map((row) => row.packed).join(',')}]`);
}

/** The types of the cells of some columns. */
export type CellsOf<Row, Columns extends readonly (keyof Row)[]> = {
  readonly [At in keyof Columns]: Row[Columns[At]];
};
