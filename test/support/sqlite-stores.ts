import { openSqlite } from '../../adapters/sql/sqlite/database.ts';
import { openSqliteVerifier } from '../../adapters/sql/sqlite/verifier.ts';
import type { Stores } from './backends.ts';
import { sqlStores } from './sql-stores.ts';

/** A large cache would take most of the time of opening. */
const cacheSize = 1_000;

/** Opens all stores on one SQLite file. Closing them does not delete the file. */
export async function openSqliteStores(path: string): Promise<Stores> {
  const database = await openSqlite(path);
  return sqlStores(database, await openSqliteVerifier(database, undefined, cacheSize));
}
