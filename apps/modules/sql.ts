import { randomUUID } from 'node:crypto';
import { ContainerModule } from 'inversify';
import { createSigner } from '../../adapters/node/signer.ts';
import { createSqlAccountStore } from '../../adapters/sql/account-store.ts';
import { createSqlAuditLog } from '../../adapters/sql/audit-log.ts';
import { createSqlCounterArchive } from '../../adapters/sql/counter-archive.ts';
import { createSqlDeploymentLog } from '../../adapters/sql/deployment-log.ts';
import { createSqlFileReferences } from '../../adapters/sql/file-references.ts';
import { createSqlIdempotencyStore } from '../../adapters/sql/idempotency-store.ts';
import { createSqlLicenseStore } from '../../adapters/sql/license-store.ts';
import { createSqlProductStore } from '../../adapters/sql/product-store.ts';
import { createSqlPurchaseLedger } from '../../adapters/sql/purchase-ledger.ts';
import { settingOf } from '../../adapters/sql/setting.ts';
import { createSqlTemplateStore } from '../../adapters/sql/template-store.ts';
import { createSqlUploadLog } from '../../adapters/sql/upload-log.ts';
import { t } from '../tokens.ts';

/** The stores of whatever SQL database is bound. */
export const sql = new ContainerModule(({ bind }) => {
  bind(t.licenseStore).toResolvedValue(
    (database, { verify }) => createSqlLicenseStore(database, verify),
    [t.database, t.verifier],
  );
  bind(t.accountStore).toResolvedValue(createSqlAccountStore, [t.database]);
  bind(t.productStore).toResolvedValue(createSqlProductStore, [t.database]);
  bind(t.templateStore).toResolvedValue(createSqlTemplateStore, [t.database]);
  bind(t.purchaseLedger).toResolvedValue(createSqlPurchaseLedger, [t.database]);
  bind(t.uploadLog).toResolvedValue(createSqlUploadLog, [t.database]);
  bind(t.deploymentLog).toResolvedValue(createSqlDeploymentLog, [t.database]);
  bind(t.fileReferences).toResolvedValue(createSqlFileReferences, [t.database]);
  bind(t.idempotencyStore).toResolvedValue(createSqlIdempotencyStore, [t.database]);
  bind(t.counterArchive).toResolvedValue(createSqlCounterArchive, [t.database]);
  bind(t.signer).toResolvedValue(
    async (database) => createSigner(await settingOf(database, 'signing_secret', randomUUID)),
    [t.database],
  );
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
