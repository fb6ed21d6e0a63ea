import knex, { type Knex } from 'knex';
import type sqlite3 from 'sqlite3';
import { beginImmediately } from './connection.ts';
import { keepStatements } from './statements.ts';

/**
 * Opens one SQLite connection when the first statement runs, and keeps it open. Statements and transactions take
 * turns, so that no other statement runs inside a transaction. `prepare` sets up the connection.
 */
export function openClient(filename: string, prepare: (connection: sqlite3.Database) => Promise<void>): Knex {
  return knex({
    client: 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    compileSqlOnError: false, // Otherwise errors would contain the values of the statement.
    // Errors are thrown. Knex would also print them to standard output.
    log: { warn: () => undefined },
    pool: {
      min: 1,
      max: 1,
      afterCreate: (raw: sqlite3.Database, done: (error: Error | null) => void) => {
        // First, because it replaces `all`, which `beginImmediately` wraps.
        keepStatements(raw);
        beginImmediately(raw);
        prepare(raw).then(() => done(null), done);
      },
    },
  });
}
