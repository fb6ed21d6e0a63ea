import { ContainerModule } from 'inversify';
import { createSigner } from '../../../adapters/node/signer.ts';
import { createSqlLicenseImports } from '../../../adapters/sql/imports/license-imports.ts';
import { createSqlAccountStore } from '../../../adapters/sql/stores/account-store.ts';
import { createSqlAuditLog } from '../../../adapters/sql/stores/audit-log.ts';
import { createSqlCounterArchive } from '../../../adapters/sql/stores/counter-archive.ts';
import { createSqlDeploymentLog } from '../../../adapters/sql/stores/deployment-log.ts';
import { createSqlFileLedger } from '../../../adapters/sql/stores/file-ledger.ts';
import { createSqlFileReferences } from '../../../adapters/sql/stores/file-references.ts';
import { createSqlIdempotencyStore } from '../../../adapters/sql/stores/idempotency-store.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlMailStore } from '../../../adapters/sql/stores/mail-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { createSqlPurchaseLedger } from '../../../adapters/sql/stores/purchase-ledger.ts';
import { createSqlTemplateStore } from '../../../adapters/sql/stores/template-store.ts';
import { createSqlUploadLog } from '../../../adapters/sql/stores/upload-log.ts';
import { createSqlWorkQueue } from '../../../adapters/sql/stores/work-queue.ts';
import { openSigningSecret } from '../signing-secret.ts';
import { t } from '../tokens.ts';

/** The stores of the SQL database that is bound. */
export const sql = new ContainerModule(({ bind }) => {
  bind(t.licenseStore).toResolvedValue(
    (database, { verify }) => createSqlLicenseStore(database, verify),
    [t.database, t.verifier],
  );
  bind(t.licenseImports).toResolvedValue(createSqlLicenseImports, [t.database, t.clock]);
  bind(t.accountStore).toResolvedValue(createSqlAccountStore, [t.database]);
  bind(t.productStore).toResolvedValue(createSqlProductStore, [t.database]);
  bind(t.templateStore).toResolvedValue(createSqlTemplateStore, [t.database]);
  bind(t.purchaseLedger).toResolvedValue(createSqlPurchaseLedger, [t.database]);
  bind(t.uploadLog).toResolvedValue(createSqlUploadLog, [t.database]);
  bind(t.deploymentLog).toResolvedValue(createSqlDeploymentLog, [t.database]);
  bind(t.fileLedger).toResolvedValue(createSqlFileLedger, [t.database]);
  bind(t.fileReferences).toResolvedValue(createSqlFileReferences, [t.database]);
  bind(t.idempotencyStore).toResolvedValue(createSqlIdempotencyStore, [t.database]);
  bind(t.mailStore).toResolvedValue(createSqlMailStore, [t.database]);
  bind(t.workQueue).toResolvedValue(createSqlWorkQueue, [t.database]);
  bind(t.counterArchive).toResolvedValue(createSqlCounterArchive, [t.database]);
  bind(t.signingSecret).toResolvedValue(openSigningSecret, [t.config, t.database, t.log]);
  bind(t.signer).toResolvedValue(({ text }) => createSigner(text), [t.signingSecret]);
  bind(t.auditLog).toResolvedValue(createSqlAuditLog, [t.database]);
  bind(t.databaseChecks).toResolvedValue(
    (database, verifier) => ({
      database: async () => {
        await Promise.all([database.check(), verifier.check()]);
      },
    }),
    [t.database, t.verifier],
  );
});
