import type { RequestListener } from 'node:http';
import type { Newable } from 'inversify';
import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { CounterArchive } from '../../adapters/counter-archive.ts';
import type { FileInspection } from '../../adapters/file-inspection.ts';
import type { DiskStorage } from '../../adapters/files/disk.ts';
import type { WithLocalFile } from '../../adapters/files/local-copies.ts';
import type { S3Storage } from '../../adapters/files/s3/storage.ts';
import type { Addresses } from '../../adapters/http/addresses.ts';
import type { ClientAddress } from '../../adapters/http/client-address.ts';
import type { DashboardTools } from '../../adapters/http/dashboard/tools.ts';
import type { Reporter } from '../../adapters/http/exchange.ts';
import type { Readiness } from '../../adapters/http/health.ts';
import type { HttpMetrics } from '../../adapters/http/metrics.ts';
import type { Documented } from '../../adapters/http/openapi/document.ts';
import type { CountCall } from '../../adapters/http/rate-limit.ts';
import type { AccountTools, Route } from '../../adapters/http/route.ts';
import type { SheetTools } from '../../adapters/http/sheet-tools.ts';
import type { State } from '../../adapters/http/state.ts';
import type { Endpoint, Surface } from '../../adapters/http/surface.ts';
import type { FrameOf } from '../../adapters/http/visitor/frame-of.ts';
import type { IdempotencyStore } from '../../adapters/idempotency-store.ts';
import type { Tracing } from '../../adapters/opentelemetry/tracing.ts';
import type { Instruments } from '../../adapters/prometheus/instruments.ts';
import type { Signer } from '../../adapters/signer.ts';
import type { Database } from '../../adapters/sql/database.ts';
import type { Replica } from '../../adapters/sql/postgres/replica.ts';
import type { SqliteDatabase } from '../../adapters/sql/sqlite/database.ts';
import type { Verifier } from '../../adapters/sql/verifier.ts';
import type { Accounts } from '../../core/accounts/accounts.ts';
import type { UserAdministration } from '../../core/accounts/administration.ts';
import type { Credentials } from '../../core/accounts/credentials.ts';
import type { DeviceLogins } from '../../core/accounts/device-logins.ts';
import type { Naming } from '../../core/accounts/naming.ts';
import type { SecondFactorSetUp } from '../../core/accounts/second-factor-set-up.ts';
import type { Sessions } from '../../core/accounts/sessions.ts';
import type { SignIn } from '../../core/accounts/sign-in.ts';
import type { SignUp } from '../../core/accounts/sign-up.ts';
import type { Tier } from '../../core/accounts/tier.ts';
import type { AccountUsage } from '../../core/accounts/usage.ts';
import type { UsageMeter } from '../../core/accounts/usage-meter.ts';
import type { AuditTrail } from '../../core/administration/audit-trail.ts';
import type { Mails } from '../../core/administration/mails.ts';
import type { ShowSystem } from '../../core/administration/system.ts';
import type { Deployments } from '../../core/deployments/deployments.ts';
import type { Issuing } from '../../core/licensing/issuing.ts';
import type { Licensing } from '../../core/licensing/licensing.ts';
import type { MarketplaceAdministration } from '../../core/marketplace/administration.ts';
import type { Marketplace } from '../../core/marketplace/marketplace.ts';
import type { ProductTemplates } from '../../core/marketplace/product-template.ts';
import type { ShowContents } from '../../core/marketplace/show-contents.ts';
import type { StorageAllowance } from '../../core/marketplace/storage-quota.ts';
import type { Storefront } from '../../core/marketplace/storefront.ts';
import type { Storing } from '../../core/marketplace/storing.ts';
import type { TransitProduct } from '../../core/marketplace/transit-product.ts';
import type { Withdrawals } from '../../core/marketplace/withdrawals.ts';
import type { Notifications } from '../../core/notifications/notifications.ts';
import type { PlanContents } from '../../core/plans/plan.ts';
import type { AccountStore } from '../../core/ports/account-store.ts';
import type { AuditLog } from '../../core/ports/audit-log.ts';
import type { Catalogue } from '../../core/ports/catalogue.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { DeploymentLog } from '../../core/ports/deployment-log.ts';
import type { DeviceLoginStore } from '../../core/ports/device-login-store.ts';
import type { FileLedger } from '../../core/ports/file-ledger.ts';
import type { FileReferences } from '../../core/ports/file-references.ts';
import type { LicenseCounts } from '../../core/ports/license-counts.ts';
import type { LicenseDetails } from '../../core/ports/license-details.ts';
import type { LicenseImports } from '../../core/ports/license-imports.ts';
import type { LicenseSearch } from '../../core/ports/license-search.ts';
import type { LicenseStore } from '../../core/ports/license-store.ts';
import type { LoginStore } from '../../core/ports/login-store.ts';
import type { MailStore } from '../../core/ports/mail-store.ts';
import type { WriteLetter } from '../../core/ports/mail-texts.ts';
import type { Mailer } from '../../core/ports/mailer.ts';
import type { NotificationStore } from '../../core/ports/notification-store.ts';
import type { OneTimeLinks } from '../../core/ports/one-time-links.ts';
import type { OrderStore } from '../../core/ports/order-store.ts';
import type { ProductStore } from '../../core/ports/product-store.ts';
import type { PurchaseCheck } from '../../core/ports/purchase-check.ts';
import type { PurchaseLedger } from '../../core/ports/purchase-ledger.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import type { SecretBox } from '../../core/ports/secret-box.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { SessionStore } from '../../core/ports/session-store.ts';
import type { TemplateStore } from '../../core/ports/template-store.ts';
import type { UploadLog } from '../../core/ports/upload-log.ts';
import type { UsageFigures, UsageSnapshots } from '../../core/ports/usage-figures.ts';
import type { UsageLog } from '../../core/ports/usage-log.ts';
import type { UserDetailsReader } from '../../core/ports/user-details.ts';
import type { WebhookExpiries } from '../../core/ports/webhook-expiries.ts';
import type { WebhookQueue } from '../../core/ports/webhook-queue.ts';
import type { CheckWebhookUrl, SendWebhook } from '../../core/ports/webhook-sender.ts';
import type { WebhookStore } from '../../core/ports/webhook-store.ts';
import type { WebhookVerifications } from '../../core/ports/webhook-verifications.ts';
import type { WorkQueue } from '../../core/ports/work-queue.ts';
import type { ZipContents } from '../../core/ports/zip-contents.ts';
import type { BoughtFiles } from '../../core/purchases/bought-files.ts';
import type { BoughtLicenses } from '../../core/purchases/bought-license.ts';
import type { Purchases } from '../../core/purchases/buying.ts';
import type { Checkout } from '../../core/purchases/checkout.ts';
import type { ClaimOrders } from '../../core/purchases/claim.ts';
import type { PaymentSettings } from '../../core/purchases/offers.ts';
import type { ReceivePaymentEvent } from '../../core/purchases/payment-events.ts';
import type { OrderPorts, SettleOrder } from '../../core/purchases/settle.ts';
import type { LicenseDomains } from '../../core/selling/license-domains.ts';
import type { SellerLicenses } from '../../core/selling/licenses.ts';
import type { OrderList } from '../../core/selling/order-list.ts';
import type { Orders } from '../../core/selling/orders.ts';
import type { ShowOverview } from '../../core/selling/overview.ts';
import type { SellerProducts } from '../../core/selling/products.ts';
import type { SheetExport } from '../../core/selling/sheet-export.ts';
import type { SheetImports } from '../../core/selling/sheet-import.ts';
import type { SellingUsage } from '../../core/selling/usage.ts';
import type { Webhooks } from '../../core/selling/webhooks.ts';
import type { TemplateAdministration } from '../../core/templates/administration.ts';
import type { Templates } from '../../core/templates/templates.ts';
import type { Bell } from './bell.ts';
import type { Config } from './config.ts';
import type { CreateDispatcher } from './dispatch.ts';
import type { FileServing, StoredFiles } from './file-serving.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { SigningSecret } from './signing-secret.ts';
import type { CreateWorker } from './work.ts';

/** The name of a dependency. It carries the type, so that code that mixes up two dependencies does not compile. */
export function token<T>(name: string): Newable<T> {
  return Symbol(name) as unknown as Newable<T>;
}

/** Everything that is wired, by name. */
export const t = {
  config: token<Config>('config'),
  log: token<Logger>('log'),
  clock: token<Clock>('clock'),
  secrets: token<Secrets>('secrets'),

  sqlite: token<SqliteDatabase>('sqlite'),
  postgres: token<Database>('postgres'),
  replica: token<Replica>('replica'),
  database: token<Database>('database'),
  verifier: token<Verifier>('verifier'),
  accountStore: token<AccountStore>('accountStore'),
  auditLog: token<AuditLog>('auditLog'),
  counterArchive: token<CounterArchive>('counterArchive'),
  deploymentLog: token<DeploymentLog>('deploymentLog'),
  fileLedger: token<FileLedger>('fileLedger'),
  fileReferences: token<FileReferences>('fileReferences'),
  idempotencyStore: token<IdempotencyStore>('idempotencyStore'),
  licenseImports: token<LicenseImports>('licenseImports'),
  loginStore: token<LoginStore>('loginStore'),
  sessionStore: token<SessionStore>('sessionStore'),
  oneTimeLinks: token<OneTimeLinks>('oneTimeLinks'),
  deviceLoginStore: token<DeviceLoginStore>('deviceLoginStore'),
  licenseDetails: token<LicenseDetails>('licenseDetails'),
  licenseCounts: token<LicenseCounts>('licenseCounts'),
  licenseSearch: token<LicenseSearch>('licenseSearch'),
  licenseStore: token<LicenseStore>('licenseStore'),
  mailStore: token<MailStore>('mailStore'),
  notificationStore: token<NotificationStore>('notificationStore'),
  productStore: token<ProductStore>('productStore'),
  catalogue: token<Catalogue>('catalogue'),
  purchaseCheck: token<PurchaseCheck>('purchaseCheck'),
  purchaseLedger: token<PurchaseLedger>('purchaseLedger'),
  templateStore: token<TemplateStore>('templateStore'),
  uploadLog: token<UploadLog>('uploadLog'),
  withLocalFile: token<WithLocalFile>('withLocalFile'),
  zipContents: token<ZipContents>('zipContents'),
  userDetails: token<UserDetailsReader>('userDetails'),
  usageFigures: token<UsageFigures>('usageFigures'),
  usageLog: token<UsageLog>('usageLog'),
  usageSnapshots: token<UsageSnapshots>('usageSnapshots'),
  webhookExpiries: token<WebhookExpiries>('webhookExpiries'),
  webhookQueue: token<WebhookQueue>('webhookQueue'),
  orderStore: token<OrderStore>('orderStore'),
  orderPorts: token<OrderPorts>('orderPorts'),
  paymentSettings: token<PaymentSettings>('paymentSettings'),
  settleOrder: token<SettleOrder>('settleOrder'),
  claimOrders: token<ClaimOrders>('claimOrders'),
  receivePaymentEvent: token<ReceivePaymentEvent>('receivePaymentEvent'),
  checkout: token<Checkout>('checkout'),
  purchases: token<Purchases>('purchases'),
  boughtLicenses: token<BoughtLicenses>('boughtLicenses'),
  boughtFiles: token<BoughtFiles>('boughtFiles'),
  buyingPages: token<Endpoint[]>('buyingPages'),
  orders: token<Orders>('orders'),
  orderList: token<OrderList>('orderList'),
  webhookStore: token<WebhookStore>('webhookStore'),
  webhookVerifications: token<WebhookVerifications>('webhookVerifications'),
  workQueue: token<WorkQueue>('workQueue'),
  /** Rings when a change of this process has added work, or deliveries of webhooks. */
  workBell: token<Bell>('workBell'),
  mailer: token<Mailer>('mailer'),
  /** Writes the texts of mails. */
  writeLetter: token<WriteLetter>('writeLetter'),
  createWorker: token<CreateWorker>('createWorker'),
  createDispatcher: token<CreateDispatcher>('createDispatcher'),
  sendWebhook: token<SendWebhook>('sendWebhook'),
  checkWebhookUrl: token<CheckWebhookUrl>('checkWebhookUrl'),
  /** Encrypts the secrets of webhooks. */
  secretBox: token<SecretBox>('secretBox'),
  signer: token<Signer>('signer'),
  signingSecret: token<SigningSecret>('signingSecret'),

  disk: token<DiskStorage>('disk'),
  s3: token<S3Storage>('s3'),
  files: token<StoredFiles>('files'),
  fileChecks: token<Readiness['checks']>('fileChecks'),
  /** Checks of the file storage. Their results are reported, but do not affect readiness. */
  fileWarnings: token<Readiness['checks']>('fileWarnings'),
  fileServing: token<FileServing>('fileServing'),
  fileInspection: token<FileInspection>('fileInspection'),
  /** Checks of the database that must pass before the service is ready. */
  databaseChecks: token<Readiness['checks']>('databaseChecks'),
  /** Checks of the database. Their results are reported, but do not affect readiness. */
  databaseWarnings: token<Readiness['checks']>('databaseWarnings'),

  accounts: token<Accounts>('accounts'),
  auditTrail: token<AuditTrail>('auditTrail'),
  accountUsage: token<AccountUsage>('accountUsage'),
  /** Saves its counts every second, and when it is closed. */
  usageMeter: token<UsageMeter & { close(): Promise<void> }>('usageMeter'),
  planContents: token<(tier: Tier) => PlanContents>('planContents'),
  storageAllowance: token<StorageAllowance>('storageAllowance'),
  userAdministration: token<UserAdministration>('userAdministration'),
  signIn: token<SignIn>('signIn'),
  signUp: token<SignUp>('signUp'),
  deviceLogins: token<DeviceLogins>('deviceLogins'),
  sessions: token<Sessions>('sessions'),
  credentials: token<Credentials>('credentials'),
  naming: token<Naming>('naming'),
  secondFactor: token<SecondFactorSetUp>('secondFactor'),
  issuing: token<Issuing>('issuing'),
  licenseDomains: token<LicenseDomains>('licenseDomains'),
  licensing: token<Licensing>('licensing'),
  sellerLicenses: token<SellerLicenses>('sellerLicenses'),
  sheetExport: token<SheetExport>('sheetExport'),
  sheetTools: token<SheetTools>('sheetTools'),
  sheetImports: token<SheetImports>('sheetImports'),
  withdrawals: token<Withdrawals & { close(): void }>('withdrawals'),
  storing: token<Storing>('storing'),
  marketplace: token<Marketplace>('marketplace'),
  storefront: token<Storefront>('storefront'),
  transitProduct: token<TransitProduct>('transitProduct'),
  sellerProducts: token<SellerProducts>('sellerProducts'),
  mails: token<Mails>('mails'),
  notifications: token<Notifications>('notifications'),
  products: token<MarketplaceAdministration>('products'),
  productTemplates: token<ProductTemplates>('productTemplates'),
  showContents: token<ShowContents>('showContents'),
  sellingUsage: token<SellingUsage>('sellingUsage'),
  webhooks: token<Webhooks>('webhooks'),
  sellerOverview: token<ShowOverview>('sellerOverview'),
  templates: token<Templates>('templates'),
  templateAdministration: token<TemplateAdministration>('templateAdministration'),
  deployments: token<Deployments>('deployments'),

  registry: token<Registry>('registry'),
  metrics: token<HttpMetrics>('metrics'),
  instruments: token<Instruments>('instruments'),
  tracing: token<Tracing>('tracing'),
  clientAddress: token<ClientAddress>('clientAddress'),
  /** Has `state` if it counts in Redis, and `isShared` if it counts in another process. */
  rateLimiter: token<RateLimiter & { state?(): 'up' | 'down'; isShared?(): boolean; close(): Promise<void> }>(
    'rateLimiter',
  ),
  /** Without `count`, nothing is limited. */
  callCounter: token<{ readonly count: CountCall | undefined }>('callCounter'),
  limiterWarnings: token<Readiness['checks']>('limiterWarnings'),
  addresses: token<Addresses>('addresses'),
  accountTools: token<AccountTools>('accountTools'),
  publicFrame: token<FrameOf>('publicFrame'),
  dashboardTools: token<DashboardTools>('dashboardTools'),
  sellingLicensePages: token<Endpoint[]>('sellingLicensePages'),
  sellingOrderPages: token<Endpoint[]>('sellingOrderPages'),
  sellingWebhookPages: token<Endpoint[]>('sellingWebhookPages'),
  licenseRoutes: token<Route[]>('licenseRoutes'),
  accountRoutes: token<Route[]>('accountRoutes'),
  storefrontRoutes: token<Route[]>('storefrontRoutes'),
  /** The APIs in the OpenAPI document. */
  documentedApis: token<Documented['apis']>('documentedApis'),
  /** The surfaces of this process. Those that it does not serve are closed. */
  surfaces: token<readonly Surface[]>('surfaces'),
  /** Checks that must pass before this process is ready. */
  neededChecks: token<Readiness['checks']>('neededChecks'),
  /** All checks whose results are reported, but do not affect readiness. */
  warnings: token<Readiness['checks']>('warnings'),
  system: token<ShowSystem>('system'),
  lifecycle: token<Lifecycle>('lifecycle'),
  reporter: token<Reporter>('reporter'),
  app: token<Koa<State>>('app'),
  listener: token<RequestListener>('listener'),
};
