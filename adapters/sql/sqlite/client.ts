import knex, { type Knex } from 'knex';
import type sqlite3 from 'sqlite3';
import { beginImmediately } from './connection.ts';

/**
 * Opens one connection to SQLite when it is first needed, and keeps it. Statements and transactions have it in turn: nobody comes
 * between the statements of a transaction. `prepare` readies the connection.
 */
export function openClient(filename: string, prepare: (connection: sqlite3.Database) => Promise<void>): Knex {
  return knex({
    client: 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    compileSqlOnError: false, // Else the error of a statement would tell its values.
    // What fails is thrown; Knex would print it on standard output as well.
    log: { warn: () => undefined },
    pool: {
      min: 1,
      max: 1,
      afterCreate: (raw: sqlite3.Database, done: (error: Error | null) => void) => {
        beginImmediately(raw);
        prepare(raw).then(() => done(null), done);
      },
    },
  });
}
