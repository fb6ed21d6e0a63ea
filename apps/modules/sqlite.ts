import { ContainerModule } from 'inversify';
import { createSqlAccountStore } from '../../adapters/sql/account-store.ts';
import { createSqlAuditLog } from '../../adapters/sql/audit-log.ts';
import { openSqlite } from '../../adapters/sql/database.ts';
import { createSqlLicenseStore } from '../../adapters/sql/license-store.ts';
import { createSqlProductStore } from '../../adapters/sql/product-store.ts';
import { openSqliteVerifier } from '../../adapters/sql/sqlite-verifier.ts';
import { t } from '../tokens.ts';

/** Stores in one SQLite file. */
export const sqlite = (path: string) =>
  new ContainerModule(({ bind }) => {
    bind(t.database)
      .toResolvedValue(() => openSqlite(path))
      .onDeactivation((database) => database.close());
    bind(t.verifier)
      .toResolvedValue(openSqliteVerifier, [t.database])
      .onDeactivation((verifier) => verifier.close());
    bind(t.licenseStore).toResolvedValue(
      (database, { verify }) => createSqlLicenseStore(database, verify),
      [t.database, t.verifier],
    );
    bind(t.accountStore).toResolvedValue(createSqlAccountStore, [t.database]);
    bind(t.productStore).toResolvedValue(createSqlProductStore, [t.database]);
    bind(t.auditLog).toResolvedValue(createSqlAuditLog, [t.database]);
    bind(t.checks).toResolvedValue(
      ({ read }) => ({
        database: async () => {
          await read((knex) => knex.raw('SELECT 1'));
        },
      }),
      [t.database],
    );
  });
