import type { Knex } from 'knex';
import type { Way } from './postgres/way.ts';

/** An open database whose schema is this program's. */
export interface Database {
  /** The steps of the schema that opening it took. */
  readonly migrated: readonly string[];
  /** How the sessions of a server are used: `pooled` if a pooler such as PgBouncer was found before it. */
  readonly connections?: Way;
  /** Throws `Unavailable` where the database is out for the moment. */
  read<T>(work: (knex: Knex) => PromiseLike<T>): Promise<T>;
  /**
   * As `read`, but what it returns may be some seconds old: for lists, never for what decides a change. Absent where there is no
   * replica. If the replica fails, the work is done again on the primary.
   */
  readStale?<T>(work: (knex: Knex) => PromiseLike<T>): Promise<T>;
  /**
   * One transaction that excludes every other writer of the rows that it reads for update; undone where `work` throws. The
   * work may be done again from its start if the database could not put it in order with others; if that fails too often,
   * throws `Unavailable`. Throws `OutcomeUnknown` when the answer to its commit was lost; whatever else it throws, nothing
   * was written.
   */
  write<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /** Throws `Unavailable` if nothing could be read or written at the moment. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The row that a statement which always returns one has returned. */
export function returned<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('The database did not return the row that it wrote.');
  return row;
}

/** Whether this is Postgres; otherwise it is SQLite. */
export function isPostgres(knex: Knex): boolean {
  return knex.client.config.client === 'pg';
}

/** The largest id that a row may have; Postgres refuses to look for a larger one. */
export const largestId = 2_147_483_647;

/** Whether there can be a row with this id. */
export function isRowId(id: number): boolean {
  return id <= largestId;
}
