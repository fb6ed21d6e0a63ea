import { createSqlAccountStore } from '../../adapters/sql/account-store.ts';
import { createSqlAuditLog } from '../../adapters/sql/audit-log.ts';
import { openSqlite } from '../../adapters/sql/database.ts';
import { createSqlLicenseStore } from '../../adapters/sql/license-store.ts';
import { createSqlProductStore } from '../../adapters/sql/product-store.ts';
import { openSqliteVerifier } from '../../adapters/sql/sqlite-verifier.ts';
import type { Stores } from './backends.ts';

/** All stores on one SQLite file, which stays when they are closed. */
export async function openSqliteStores(path: string): Promise<Stores> {
  const database = await openSqlite(path);
  const verifier = await openSqliteVerifier(database);
  return {
    licenses: createSqlLicenseStore(database, verifier.verify),
    accounts: createSqlAccountStore(database),
    products: createSqlProductStore(database),
    audit: createSqlAuditLog(database),
    async close() {
      await verifier.close();
      await database.close();
    },
  };
}
