import { systemClock } from '../../adapters/node/clock.ts';
import { createSqlCatalogue } from '../../adapters/sql/catalogue/catalogue.ts';
import { type Database, isPostgres } from '../../adapters/sql/database.ts';
import { createSqlLicenseImports } from '../../adapters/sql/imports/license-imports.ts';
import { createSqlAccountStore } from '../../adapters/sql/stores/account-store.ts';
import { createSqlAuditLog } from '../../adapters/sql/stores/audit-log.ts';
import { createSqlCounterArchive } from '../../adapters/sql/stores/counter-archive.ts';
import { createSqlCouponStore } from '../../adapters/sql/stores/coupon-store.ts';
import { createSqlCustomers } from '../../adapters/sql/stores/customers.ts';
import { createSqlDeploymentChecks } from '../../adapters/sql/stores/deployment-checks.ts';
import { createSqlDeploymentFigures } from '../../adapters/sql/stores/deployment-figures.ts';
import { createSqlDeploymentLog } from '../../adapters/sql/stores/deployment-log.ts';
import { createSqlDeviceLoginStore } from '../../adapters/sql/stores/device-login-store.ts';
import { createSqlExpiryReminders } from '../../adapters/sql/stores/expiry-reminders.ts';
import { createSqlFileLedger } from '../../adapters/sql/stores/file-ledger.ts';
import { createSqlFileReferences } from '../../adapters/sql/stores/file-references.ts';
import { createSqlHostHistory } from '../../adapters/sql/stores/host-history.ts';
import { createSqlIdempotencyStore } from '../../adapters/sql/stores/idempotency-store.ts';
import { createSqlInvoiceProfileStore } from '../../adapters/sql/stores/invoice-profile-store.ts';
import { createSqlLeaseKeyStore } from '../../adapters/sql/stores/lease-keys.ts';
import { createSqlLeaseTerms } from '../../adapters/sql/stores/lease-terms.ts';
import { createSqlLicenseAliases } from '../../adapters/sql/stores/license-aliases.ts';
import { createSqlLicenseCounts } from '../../adapters/sql/stores/license-counts.ts';
import { createSqlLicenseDetails } from '../../adapters/sql/stores/license-details.ts';
import { createSqlLicenseInstances } from '../../adapters/sql/stores/license-instances.ts';
import { createSqlLicenseSearch } from '../../adapters/sql/stores/license-search.ts';
import { createSqlLicenseStore } from '../../adapters/sql/stores/license-store.ts';
import { createSqlLicenseUses } from '../../adapters/sql/stores/license-uses.ts';
import { createSqlLoginStore } from '../../adapters/sql/stores/login-store.ts';
import { createSqlMailStore } from '../../adapters/sql/stores/mail-store.ts';
import { createSqlNotificationStore } from '../../adapters/sql/stores/notification-store.ts';
import { createSqlOneTimeLinks } from '../../adapters/sql/stores/one-time-links.ts';
import { createSqlOrderStore } from '../../adapters/sql/stores/order-store.ts';
import { createSqlPaidPlans } from '../../adapters/sql/stores/paid-plans.ts';
import { createSqlProductStore } from '../../adapters/sql/stores/product-store.ts';
import { createSqlPurchaseLedger } from '../../adapters/sql/stores/purchase-ledger.ts';
import { createSqlRatingStore } from '../../adapters/sql/stores/rating-store.ts';
import { createSqlReleaseCodes } from '../../adapters/sql/stores/release-codes.ts';
import { createSqlSellerPageStore } from '../../adapters/sql/stores/seller-page-store.ts';
import { createSqlSessionStore } from '../../adapters/sql/stores/session-store.ts';
import { createSqlSiteSettingsStore } from '../../adapters/sql/stores/site-settings-store.ts';
import { createSqlStrayStore } from '../../adapters/sql/stores/stray-store.ts';
import { createSqlTemplateStore } from '../../adapters/sql/stores/template-store.ts';
import { createSqlTestClocks } from '../../adapters/sql/stores/test-clocks.ts';
import { createSqlUnprovenDomains } from '../../adapters/sql/stores/unproven-domains.ts';
import { createSqlUploadLog } from '../../adapters/sql/stores/upload-log.ts';
import { createSqlUsageLog } from '../../adapters/sql/stores/usage-log.ts';
import { createSqlUsdcClaims } from '../../adapters/sql/stores/usdc-claims.ts';
import { createSqlUsdcStore } from '../../adapters/sql/stores/usdc-store.ts';
import { createSqlUserDetails } from '../../adapters/sql/stores/user-details.ts';
import { createSqlWalletStore } from '../../adapters/sql/stores/wallet-store.ts';
import { createSqlWebhookExpiries } from '../../adapters/sql/stores/webhook-expiries.ts';
import { createSqlWebhookQueue } from '../../adapters/sql/stores/webhook-queue.ts';
import { createSqlWebhookStore } from '../../adapters/sql/stores/webhook-store.ts';
import { createSqlWorkQueue } from '../../adapters/sql/stores/work-queue.ts';
import { createSqlUsageFigures } from '../../adapters/sql/usage/usage-figures.ts';
import { createSqlUsageSnapshots } from '../../adapters/sql/usage/usage-snapshots.ts';
import type { Verifier } from '../../adapters/sql/verifier.ts';
import { createSqlWebhookVerifications } from '../../adapters/sql/webhooks/verifications.ts';
import type { Stores } from './backends.ts';
import { tablesOfSchema } from './postgres-tables.ts';

/** Returns all stores on an SQL database. Closing them closes the database. */
export function sqlStores(database: Database, verifier: Verifier): Stores {
  const auditLog = createSqlAuditLog(database);
  return {
    licenses: createSqlLicenseStore(database, verifier.verify),
    aliases: createSqlLicenseAliases(database),
    leaseKeys: createSqlLeaseKeyStore(database),
    hostHistory: createSqlHostHistory(database),
    leaseTerms: createSqlLeaseTerms(database),
    instances: createSqlLicenseInstances(database),
    unproven: createSqlUnprovenDomains(database),
    uses: createSqlLicenseUses(database),
    search: createSqlLicenseSearch(database),
    lists: createSqlLicenseDetails(database),
    imports: createSqlLicenseImports(database, systemClock),
    accounts: createSqlAccountStore(database),
    logins: createSqlLoginStore(database),
    sessions: createSqlSessionStore(database),
    links: createSqlOneTimeLinks(database),
    devices: createSqlDeviceLoginStore(database),
    products: createSqlProductStore(database),
    catalogue: (bounds) => createSqlCatalogue(database, bounds),
    orders: createSqlOrderStore(database),
    coupons: createSqlCouponStore(database),
    customers: (limits) => createSqlCustomers(database, limits),
    ratings: createSqlRatingStore(database),
    sellerPages: createSqlSellerPageStore(database),
    invoiceProfiles: createSqlInvoiceProfileStore(database),
    wallets: createSqlWalletStore(database),
    usdc: createSqlUsdcStore(database),
    strays: createSqlStrayStore(database),
    usdcClaims: createSqlUsdcClaims(database),
    auditLog,
    audit: { list: async (filter) => (await auditLog.list(filter)).map(({ id: _, ...event }) => event) },
    templates: createSqlTemplateStore(database),
    purchases: createSqlPurchaseLedger(database),
    uploads: createSqlUploadLog(database),
    details: createSqlUserDetails(database),
    usage: createSqlUsageLog(database),
    figures: createSqlUsageFigures(database),
    counts: createSqlLicenseCounts(database),
    snapshots: createSqlUsageSnapshots(database, systemClock),
    deployments: createSqlDeploymentLog(database),
    checks: createSqlDeploymentChecks(database),
    deploymentFigures: createSqlDeploymentFigures(database),
    codes: createSqlReleaseCodes(database),
    ledger: createSqlFileLedger(database),
    references: createSqlFileReferences(database),
    idempotency: createSqlIdempotencyStore(database),
    mails: createSqlMailStore(database),
    notifications: createSqlNotificationStore(database),
    webhooks: createSqlWebhookStore(database),
    webhookQueue: createSqlWebhookQueue(database),
    expiries: createSqlWebhookExpiries(database),
    reminders: createSqlExpiryReminders(database),
    clocks: createSqlTestClocks(database),
    plans: createSqlPaidPlans(database),
    webhookVerifications: createSqlWebhookVerifications(database, systemClock),
    work: createSqlWorkQueue(database),
    tables: () =>
      database.read((knex) =>
        isPostgres(knex)
          ? tablesOfSchema(knex)
          : knex('pragma_table_list')
              .where({ schema: 'main' })
              .whereIn('type', ['table', 'virtual'])
              .andWhere('name', 'not like', 'sqlite_%')
              .pluck('name'),
      ),
    counters: createSqlCounterArchive(database),
    settings: createSqlSiteSettingsStore(database),
    async close() {
      await verifier.close();
      await database.close();
    },
  };
}
