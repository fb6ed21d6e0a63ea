import { openSqlite } from '../../adapters/sql/sqlite/database.ts';
import { openSqliteVerifier } from '../../adapters/sql/sqlite/verifier.ts';
import type { Stores } from './backends.ts';
import { sqlStores } from './sql-stores.ts';

/** All stores on one SQLite file, which stays when they are closed. */
export async function openSqliteStores(path: string): Promise<Stores> {
  const database = await openSqlite(path);
  return sqlStores(database, await openSqliteVerifier(database));
}
