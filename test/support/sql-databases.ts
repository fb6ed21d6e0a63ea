import type { Database } from '../../adapters/sql/database.ts';
import { openPostgres } from '../../adapters/sql/postgres/database.ts';
import { openSqlite } from '../../adapters/sql/sqlite/database.ts';
import { makeSchema, postgresServer } from './postgres-backend.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A new, empty place for a database. */
export interface SqlPlace {
  /** The value for `DATABASE_URL`. */
  readonly url: string;
  open(): Promise<Database>;
  /** Deletes the database. */
  remove(): Promise<void>;
}

export interface SqlKind {
  readonly name: 'SQLite' | 'Postgres';
  /** The reason if it cannot be tested here. */
  readonly skip?: string | undefined;
  make(): Promise<SqlPlace>;
}

export const sqlite: SqlKind = {
  name: 'SQLite',
  async make() {
    const folder = await makeTemporaryFolder();
    const file = folder.file('latchkey.db');
    return { url: `sqlite:${file}`, open: () => openSqlite(file), remove: folder.remove };
  },
};

export const postgres: SqlKind = {
  name: 'Postgres',
  skip: postgresServer.skip,
  async make() {
    const { url, drop } = await makeSchema();
    // Statements that fill tables take longer on a slow machine.
    return { url, open: () => openPostgres({ url, poolSize: 3, statementTimeout: 60_000 }), remove: drop };
  },
};

/** The SQL databases under test. */
export const sqlKinds: readonly SqlKind[] = [sqlite, postgres];
