import { createSigner } from '../../../adapters/node/signer.ts';
import { createSqlCatalogue } from '../../../adapters/sql/catalogue/catalogue.ts';
import type { Database } from '../../../adapters/sql/database.ts';
import { createSqlImportProgress } from '../../../adapters/sql/imports/import-progress.ts';
import { createSqlLicenseImports } from '../../../adapters/sql/imports/license-imports.ts';
import { createSqlAccountStore } from '../../../adapters/sql/stores/account-store.ts';
import { createSqlAuditLog } from '../../../adapters/sql/stores/audit-log.ts';
import { createSqlCounterArchive } from '../../../adapters/sql/stores/counter-archive.ts';
import { createSqlCouponStore } from '../../../adapters/sql/stores/coupon-store.ts';
import { createSqlCustomers } from '../../../adapters/sql/stores/customers.ts';
import { createSqlDeploymentChecks } from '../../../adapters/sql/stores/deployment-checks.ts';
import { createSqlDeploymentFigures } from '../../../adapters/sql/stores/deployment-figures.ts';
import { createSqlDeploymentLog } from '../../../adapters/sql/stores/deployment-log.ts';
import { createSqlDeviceLoginStore } from '../../../adapters/sql/stores/device-login-store.ts';
import { createSqlExpiryReminders } from '../../../adapters/sql/stores/expiry-reminders.ts';
import { createSqlFileLedger } from '../../../adapters/sql/stores/file-ledger.ts';
import { createSqlFileReferences } from '../../../adapters/sql/stores/file-references.ts';
import { createSqlHostHistory } from '../../../adapters/sql/stores/host-history.ts';
import { createSqlIdempotencyStore } from '../../../adapters/sql/stores/idempotency-store.ts';
import { createSqlInvoiceProfileStore } from '../../../adapters/sql/stores/invoice-profile-store.ts';
import { createSqlLeaseKeyStore } from '../../../adapters/sql/stores/lease-keys.ts';
import { createSqlLeaseTerms } from '../../../adapters/sql/stores/lease-terms.ts';
import { createSqlLicenseAliases } from '../../../adapters/sql/stores/license-aliases.ts';
import { createSqlLicenseCounts } from '../../../adapters/sql/stores/license-counts.ts';
import { createSqlLicenseDetails } from '../../../adapters/sql/stores/license-details.ts';
import { createSqlLicenseInstances } from '../../../adapters/sql/stores/license-instances.ts';
import { createSqlLicenseSearch } from '../../../adapters/sql/stores/license-search.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlLicenseUses } from '../../../adapters/sql/stores/license-uses.ts';
import { createSqlLoginStore } from '../../../adapters/sql/stores/login-store.ts';
import { createSqlMailStore } from '../../../adapters/sql/stores/mail-store.ts';
import { createSqlNotificationStore } from '../../../adapters/sql/stores/notification-store.ts';
import { createSqlOneTimeLinks } from '../../../adapters/sql/stores/one-time-links.ts';
import { createSqlOrderStore } from '../../../adapters/sql/stores/order-store.ts';
import { createSqlPaidPlans } from '../../../adapters/sql/stores/paid-plans.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { createSqlPurchaseLedger } from '../../../adapters/sql/stores/purchase-ledger.ts';
import { createSqlRatingStore } from '../../../adapters/sql/stores/rating-store.ts';
import { createSqlReleaseCodes } from '../../../adapters/sql/stores/release-codes.ts';
import { createSqlSandboxStore } from '../../../adapters/sql/stores/sandbox-store.ts';
import { createSqlSellerPageStore } from '../../../adapters/sql/stores/seller-page-store.ts';
import { createSqlSessionStore } from '../../../adapters/sql/stores/session-store.ts';
import { createSqlSiteSettingsStore } from '../../../adapters/sql/stores/site-settings-store.ts';
import { createSqlStrayStore } from '../../../adapters/sql/stores/stray-store.ts';
import { createSqlTemplateStore } from '../../../adapters/sql/stores/template-store.ts';
import { createSqlTestClocks } from '../../../adapters/sql/stores/test-clocks.ts';
import { createSqlUnprovenDomains } from '../../../adapters/sql/stores/unproven-domains.ts';
import { createSqlUploadLog } from '../../../adapters/sql/stores/upload-log.ts';
import { createSqlUsageLog } from '../../../adapters/sql/stores/usage-log.ts';
import { createSqlUsdcClaims } from '../../../adapters/sql/stores/usdc-claims.ts';
import { createSqlUsdcStore } from '../../../adapters/sql/stores/usdc-store.ts';
import { createSqlUserDetails } from '../../../adapters/sql/stores/user-details.ts';
import { createSqlWalletStore } from '../../../adapters/sql/stores/wallet-store.ts';
import { createSqlWebhookExpiries } from '../../../adapters/sql/stores/webhook-expiries.ts';
import { createSqlWebhookQueue } from '../../../adapters/sql/stores/webhook-queue.ts';
import { createSqlWebhookStore } from '../../../adapters/sql/stores/webhook-store.ts';
import { createSqlWorkQueue } from '../../../adapters/sql/stores/work-queue.ts';
import { createSqlUsageFigures } from '../../../adapters/sql/usage/usage-figures.ts';
import { createSqlUsageSnapshots } from '../../../adapters/sql/usage/usage-snapshots.ts';
import { createSqlWebhookVerifications } from '../../../adapters/sql/webhooks/verifications.ts';
import { clock, config, database, log, verifier } from '../chosen.ts';
import { pageMemory } from '../page-memory.ts';
import { type Part, part } from '../part.ts';
import { openSigningSecret } from '../signing-secret.ts';

/** A store of the database that is chosen. */
const store = <T>(create: (database: Database) => T): Part<T> => part(({ database }) => create(database), { database });

/** A store of what the pages for visitors show. After each change, those that are kept are forgotten. */
const shownStore = <T>(create: (database: Database) => T): Part<T> =>
  part(
    ({ database, memory }) =>
      create({
        ...database,
        async write(work) {
          try {
            return await database.write(work);
          } finally {
            memory.forget();
          }
        },
      }),
    { database, memory: pageMemory },
  );

export const licenseDetails = store(createSqlLicenseDetails);
export const licenseAliases = store(createSqlLicenseAliases);
export const leaseKeyStore = store(createSqlLeaseKeyStore);
export const hostHistory = store(createSqlHostHistory);
export const leaseTerms = store(createSqlLeaseTerms);
export const licenseInstances = store(createSqlLicenseInstances);
export const unprovenDomains = store(createSqlUnprovenDomains);
export const licenseUses = store(createSqlLicenseUses);
export const strayStore = store(createSqlStrayStore);
export const licenseCounts = store(createSqlLicenseCounts);
export const licenseSearch = store(createSqlLicenseSearch);
export const importProgress = store(createSqlImportProgress);
export const accountStore = shownStore(createSqlAccountStore);
export const productStore = shownStore(createSqlProductStore);
export const templateStore = store(createSqlTemplateStore);
export const purchaseLedger = store(createSqlPurchaseLedger);
export const uploadLog = store(createSqlUploadLog);
export const userDetails = store(createSqlUserDetails);
export const usageLog = store(createSqlUsageLog);
export const usageFigures = store(createSqlUsageFigures);
export const deploymentLog = store(createSqlDeploymentLog);
export const deploymentChecks = store(createSqlDeploymentChecks);
export const deploymentFigures = store(createSqlDeploymentFigures);
export const releaseCodes = store(createSqlReleaseCodes);
export const fileLedger = store(createSqlFileLedger);
export const fileReferences = store(createSqlFileReferences);
export const idempotencyStore = store(createSqlIdempotencyStore);
export const loginStore = store(createSqlLoginStore);
export const sandboxStore = store(createSqlSandboxStore);
export const sessionStore = store(createSqlSessionStore);
export const oneTimeLinks = store(createSqlOneTimeLinks);
export const deviceLoginStore = store(createSqlDeviceLoginStore);
export const mailStore = store(createSqlMailStore);
export const notificationStore = store(createSqlNotificationStore);
export const expiryReminders = store(createSqlExpiryReminders);
export const testClocks = store(createSqlTestClocks);
export const paidPlans = shownStore(createSqlPaidPlans);
export const webhookExpiries = store(createSqlWebhookExpiries);
export const webhookQueue = store(createSqlWebhookQueue);
export const orderStore = shownStore(createSqlOrderStore);
export const couponStore = store(createSqlCouponStore);
export const customers = store(createSqlCustomers);
export const webhookStore = store(createSqlWebhookStore);
export const workQueue = store(createSqlWorkQueue);
export const counterArchive = store(createSqlCounterArchive);
export const auditLog = store(createSqlAuditLog);
export const invoiceProfileStore = store(createSqlInvoiceProfileStore);
export const walletStore = store(createSqlWalletStore);
export const usdcStore = store(createSqlUsdcStore);
export const usdcClaims = store(createSqlUsdcClaims);
export const sellerPageStore = shownStore(createSqlSellerPageStore);
export const ratingStore = shownStore(createSqlRatingStore);
export const siteSettingsStore = shownStore(createSqlSiteSettingsStore);
export const catalogue = store((database) => createSqlCatalogue(database));
export const licenseStore = part(({ database, verifier }) => createSqlLicenseStore(database, verifier.verify), {
  database,
  verifier,
});
export const licenseImports = part(({ database, clock }) => createSqlLicenseImports(database, clock), {
  database,
  clock,
});
export const usageSnapshots = part(({ database, clock }) => createSqlUsageSnapshots(database, clock), {
  database,
  clock,
});
export const webhookVerifications = part(({ database, clock }) => createSqlWebhookVerifications(database, clock), {
  database,
  clock,
});

export const signingSecret = part(({ config, database, log }) => openSigningSecret(config, database, log), {
  config,
  database,
  log,
});
export const signer = part(({ secret }) => createSigner(secret.text), { secret: signingSecret });

/** Checks of the database that must pass before the service is ready. */
export const databaseChecks = part(
  ({ database, verifier }) => ({
    database: async () => {
      await Promise.all([database.check(), verifier.check()]);
    },
  }),
  { database, verifier },
);
