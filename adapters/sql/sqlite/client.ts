import knex, { type Knex } from 'knex';
import SqliteClient from 'knex/lib/dialects/sqlite3/index.js';
import type sqlite3 from 'sqlite3';

/**
 * Opens one connection to SQLite when it is first needed, and keeps it. Statements and transactions have it in turn: nobody comes
 * between the statements of a transaction. `prepare` readies the connection.
 */
export function openClient(filename: string, prepare: (connection: sqlite3.Database) => Promise<void>): Knex {
  return knex({
    client: ImmediateSqlite,
    connection: { filename },
    useNullAsDefault: true,
    compileSqlOnError: false, // Else the error of a statement would tell its values.
    // What fails is thrown; Knex would print it on standard output as well.
    log: { warn: () => undefined },
    pool: {
      min: 1,
      max: 1,
      afterCreate: (raw: sqlite3.Database, done: (error: Error | null) => void) => {
        prepare(raw).then(() => done(null), done);
      },
    },
  });
}

/** Takes the write lock at the start of a transaction: one that reads first and writes later could be refused half-way. */
class ImmediateSqlite extends SqliteClient {
  override _query(connection: unknown, query: { sql: string }): Promise<unknown> {
    return super._query(connection, query.sql === 'BEGIN;' ? { ...query, sql: 'BEGIN IMMEDIATE;' } : query);
  }
}
