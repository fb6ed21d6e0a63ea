import { ContainerModule } from 'inversify';
import { createSigner } from '../../../adapters/node/signer.ts';
import { createSqlCatalogue } from '../../../adapters/sql/catalogue/catalogue.ts';
import { createSqlLicenseImports } from '../../../adapters/sql/imports/license-imports.ts';
import { createSqlAccountStore } from '../../../adapters/sql/stores/account-store.ts';
import { createSqlAuditLog } from '../../../adapters/sql/stores/audit-log.ts';
import { createSqlCounterArchive } from '../../../adapters/sql/stores/counter-archive.ts';
import { createSqlDeploymentLog } from '../../../adapters/sql/stores/deployment-log.ts';
import { createSqlDeviceLoginStore } from '../../../adapters/sql/stores/device-login-store.ts';
import { createSqlFileLedger } from '../../../adapters/sql/stores/file-ledger.ts';
import { createSqlFileReferences } from '../../../adapters/sql/stores/file-references.ts';
import { createSqlIdempotencyStore } from '../../../adapters/sql/stores/idempotency-store.ts';
import { createSqlLicenseCounts } from '../../../adapters/sql/stores/license-counts.ts';
import { createSqlLicenseDetails } from '../../../adapters/sql/stores/license-details.ts';
import { createSqlLicenseSearch } from '../../../adapters/sql/stores/license-search.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlLoginStore } from '../../../adapters/sql/stores/login-store.ts';
import { createSqlMailStore } from '../../../adapters/sql/stores/mail-store.ts';
import { createSqlNotificationStore } from '../../../adapters/sql/stores/notification-store.ts';
import { createSqlOneTimeLinks } from '../../../adapters/sql/stores/one-time-links.ts';
import { createSqlOrderStore } from '../../../adapters/sql/stores/order-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { createSqlPurchaseLedger } from '../../../adapters/sql/stores/purchase-ledger.ts';
import { createSqlSessionStore } from '../../../adapters/sql/stores/session-store.ts';
import { createSqlTemplateStore } from '../../../adapters/sql/stores/template-store.ts';
import { createSqlUploadLog } from '../../../adapters/sql/stores/upload-log.ts';
import { createSqlUsageLog } from '../../../adapters/sql/stores/usage-log.ts';
import { createSqlUserDetails } from '../../../adapters/sql/stores/user-details.ts';
import { createSqlWebhookQueue } from '../../../adapters/sql/stores/webhook-queue.ts';
import { createSqlWebhookStore } from '../../../adapters/sql/stores/webhook-store.ts';
import { createSqlWorkQueue } from '../../../adapters/sql/stores/work-queue.ts';
import { createSqlUsageFigures } from '../../../adapters/sql/usage/usage-figures.ts';
import { createSqlUsageSnapshots } from '../../../adapters/sql/usage/usage-snapshots.ts';
import { createSqlWebhookExpiries } from '../../../adapters/sql/webhooks/expiries.ts';
import { createSqlWebhookVerifications } from '../../../adapters/sql/webhooks/verifications.ts';
import { openSigningSecret } from '../signing-secret.ts';
import { t } from '../tokens.ts';

/** The stores of the SQL database that is bound. */
export const sql = new ContainerModule(({ bind }) => {
  bind(t.licenseStore).toResolvedValue(
    (database, { verify }) => createSqlLicenseStore(database, verify),
    [t.database, t.verifier],
  );
  bind(t.licenseDetails).toResolvedValue(createSqlLicenseDetails, [t.database]);
  bind(t.licenseCounts).toResolvedValue(createSqlLicenseCounts, [t.database]);
  bind(t.licenseSearch).toResolvedValue(createSqlLicenseSearch, [t.database]);
  bind(t.licenseImports).toResolvedValue(createSqlLicenseImports, [t.database, t.clock]);
  bind(t.accountStore).toResolvedValue(createSqlAccountStore, [t.database]);
  bind(t.catalogue).toResolvedValue((database) => createSqlCatalogue(database), [t.database]);
  bind(t.productStore).toResolvedValue(createSqlProductStore, [t.database]);
  bind(t.templateStore).toResolvedValue(createSqlTemplateStore, [t.database]);
  bind(t.purchaseLedger).toResolvedValue(createSqlPurchaseLedger, [t.database]);
  bind(t.uploadLog).toResolvedValue(createSqlUploadLog, [t.database]);
  bind(t.userDetails).toResolvedValue(createSqlUserDetails, [t.database]);
  bind(t.usageLog).toResolvedValue(createSqlUsageLog, [t.database]);
  bind(t.usageFigures).toResolvedValue(createSqlUsageFigures, [t.database]);
  bind(t.usageSnapshots).toResolvedValue(createSqlUsageSnapshots, [t.database, t.clock]);
  bind(t.deploymentLog).toResolvedValue(createSqlDeploymentLog, [t.database]);
  bind(t.fileLedger).toResolvedValue(createSqlFileLedger, [t.database]);
  bind(t.fileReferences).toResolvedValue(createSqlFileReferences, [t.database]);
  bind(t.idempotencyStore).toResolvedValue(createSqlIdempotencyStore, [t.database]);
  bind(t.loginStore).toResolvedValue(createSqlLoginStore, [t.database]);
  bind(t.sessionStore).toResolvedValue(createSqlSessionStore, [t.database]);
  bind(t.oneTimeLinks).toResolvedValue(createSqlOneTimeLinks, [t.database]);
  bind(t.deviceLoginStore).toResolvedValue(createSqlDeviceLoginStore, [t.database]);
  bind(t.mailStore).toResolvedValue(createSqlMailStore, [t.database]);
  bind(t.notificationStore).toResolvedValue(createSqlNotificationStore, [t.database]);
  bind(t.webhookExpiries).toResolvedValue(createSqlWebhookExpiries, [t.database]);
  bind(t.webhookQueue).toResolvedValue(createSqlWebhookQueue, [t.database]);
  bind(t.orderStore).toResolvedValue(createSqlOrderStore, [t.database]);
  bind(t.webhookStore).toResolvedValue(createSqlWebhookStore, [t.database]);
  bind(t.webhookVerifications).toResolvedValue(createSqlWebhookVerifications, [t.database, t.clock]);
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
