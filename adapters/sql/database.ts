import type { Knex } from 'knex';
import type { Abort } from '../../core/abort.ts';
import type { Parts } from './paced-writes.ts';
import type { Way } from './postgres/pooling.ts';

/** An open database with the schema of this version. */
export interface Database {
  /** The migrations that ran when it was opened. */
  readonly migrated: readonly string[];
  /** Only for a database server: `pooled` if there is a pooler such as PgBouncer in front of it. */
  readonly connections?: Way;
  /** Runs the work. Throws `Unavailable` if the database is temporarily unavailable. */
  read<T>(work: (knex: Knex) => PromiseLike<T>): Promise<T>;
  /**
   * As `read`, but the result may be some seconds old. Use it for lists, never for a check before a write. Absent if
   * there is no replica. If the replica fails, the work runs again on the primary.
   */
  readStale?<T>(work: (knex: Knex) => PromiseLike<T>): Promise<T>;
  /**
   * Runs one transaction. Nobody else can write the rows that it reads for update. If `work` throws, the transaction
   * is rolled back. After a conflict with another transaction, `work` runs again from its start; after too many
   * conflicts, throws `Unavailable`. Throws `OutcomeUnknown` if the answer to the commit was lost. After any other
   * error, nothing was written.
   */
  write<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /** As `write`, for a transaction that takes minutes: no statement ends by a timeout. Absent if none does so anyway. */
  writeLong?<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /** Long writes of calls, imports and snapshots take turns here. Deleting old rows does not: see `inSteps`. */
  readonly parts: Parts;
  /**
   * Copies the database into a new file, as it is at one moment, while others may write. Does not sync the file. Absent
   * if the database is not in a file.
   */
  copyTo?(file: string): Promise<void>;
  /**
   * Returns free pages of the file to the disk, in short transactions, until it is stopped. Returns their number. Absent if
   * the database does this by itself.
   */
  shrink?(stop?: Abort): Promise<number>;
  /** Frees the space of deleted rows and updates the planner's statistics. Never throws. Absent if the database does this by itself. */
  vacuum?(tables: readonly string[]): Promise<void>;
  /** Throws `Unavailable` if reading or writing would fail now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** A database in a file. */
export type CopyableDatabase = Database & Required<Pick<Database, 'copyTo'>>;

/** Whether a database is in a file, which can be copied. */
export function isCopyable(database: Database): database is CopyableDatabase {
  return database.copyTo !== undefined;
}

/** Returns the first row of a statement that always returns one. */
export function returned<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('The database did not return the row that it wrote.');
  return row;
}

/** Returns `false` for SQLite. */
export function isPostgres(knex: Knex): boolean {
  return knex.client.config.client === 'pg';
}

/** The largest possible row id. Postgres refuses to look for a larger one. */
export const largestId = 2_147_483_647;

/** The id itself, or the largest one. Postgres refuses to compare with a larger one. */
export function comparableId(id: number): number {
  return Math.min(id, largestId);
}

/** Whether a row can have this id. */
export function isRowId(id: number): boolean {
  return Number.isInteger(id) && id > 0 && id <= largestId;
}
