import type { Database } from '../../adapters/sql/database.ts';
import { openInMemoryVerifier, openSqliteInMemory } from '../../adapters/sql/sqlite/in-memory.ts';
import type { Backend, Stores } from './backends.ts';
import { sqlStores } from './sql-stores.ts';

/** A row as it is stored. */
export type Row = Readonly<Record<string, unknown>>;

/** All rows of a table, in the order in which they were added. */
export function rowsOf({ read }: Pick<Database, 'read'>, table: string): Promise<Row[]> {
  return read((knex) => knex<Row>(table).select('*').orderBy('rowid'));
}

/** All stores on a database in memory, whose rows tests look at. */
export interface StoresInMemory extends Stores, AsyncDisposable {
  rows(table: string): Promise<Row[]>;
}

export async function openStoresInMemory(): Promise<StoresInMemory> {
  const database = await openSqliteInMemory();
  const stores = sqlStores(database, openInMemoryVerifier(database));
  return { ...stores, rows: (table) => rowsOf(database, table), [Symbol.asyncDispose]: stores.close };
}

export const inMemory: Backend = {
  name: 'sqlite in memory',
  make: async () => ({ open: openStoresInMemory, remove: async () => undefined }),
};
