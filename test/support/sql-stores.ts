import { systemClock } from '../../adapters/node/clock.ts';
import { createSqlAccountStore } from '../../adapters/sql/account-store.ts';
import { createSqlAuditLog } from '../../adapters/sql/audit-log.ts';
import { createSqlCounterArchive } from '../../adapters/sql/counter-archive.ts';
import type { Database } from '../../adapters/sql/database.ts';
import { createSqlDeploymentLog } from '../../adapters/sql/deployment-log.ts';
import { createSqlFileLedger } from '../../adapters/sql/file-ledger.ts';
import { createSqlFileReferences } from '../../adapters/sql/file-references.ts';
import { createSqlIdempotencyStore } from '../../adapters/sql/idempotency-store.ts';
import { createSqlLicenseImports } from '../../adapters/sql/license-imports.ts';
import { createSqlLicenseStore } from '../../adapters/sql/license-store.ts';
import { createSqlProductStore } from '../../adapters/sql/product-store.ts';
import { createSqlPurchaseLedger } from '../../adapters/sql/purchase-ledger.ts';
import { createSqlTemplateStore } from '../../adapters/sql/template-store.ts';
import { createSqlUploadLog } from '../../adapters/sql/upload-log.ts';
import type { Verifier } from '../../adapters/sql/verifier.ts';
import type { Stores } from './backends.ts';

/** All stores on an SQL database, which are closed with it. */
export function sqlStores(database: Database, verifier: Verifier): Stores {
  return {
    licenses: createSqlLicenseStore(database, verifier.verify),
    imports: createSqlLicenseImports(database, systemClock),
    accounts: createSqlAccountStore(database),
    products: createSqlProductStore(database),
    audit: createSqlAuditLog(database),
    templates: createSqlTemplateStore(database),
    purchases: createSqlPurchaseLedger(database),
    uploads: createSqlUploadLog(database),
    deployments: createSqlDeploymentLog(database),
    ledger: createSqlFileLedger(database),
    references: createSqlFileReferences(database),
    idempotency: createSqlIdempotencyStore(database),
    counters: createSqlCounterArchive(database),
    async close() {
      await verifier.close();
      await database.close();
    },
  };
}
