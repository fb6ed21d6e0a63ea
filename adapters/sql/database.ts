import type { Knex } from 'knex';

/** An open database whose schema is this program's. */
export interface Database {
  /** The steps of the schema that opening it took. */
  readonly migrated: readonly string[];
  /** Throws `Unavailable` where the database is out for the moment. */
  read<T>(work: (knex: Knex) => PromiseLike<T>): Promise<T>;
  /**
   * One transaction that excludes every other writer of the rows that it reads for update; undone where `work` throws. The
   * work may be done again from its start where the database could not put it in order with others.
   */
  write<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The row that a statement which always returns one has returned. */
export function returned<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('The database did not return the row that it wrote.');
  return row;
}

export function isPostgres(trx: Knex.Transaction): boolean {
  return trx.client.config.client === 'pg';
}

/** The largest id that a row may have; Postgres refuses to look for a larger one. */
const largestId = 2_147_483_647;

/** Whether there can be a row with this id. */
export function isRowId(id: number): boolean {
  return id <= largestId;
}
