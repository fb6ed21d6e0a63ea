import type { CounterArchive } from '../../adapters/contracts/counter-archive.ts';
import type { IdempotencyStore } from '../../adapters/contracts/idempotency-store.ts';
import type { Bounds } from '../../adapters/sql/catalogue/rarest.ts';
import { plainUser, type User } from '../../core/accounts/user.ts';
import { type Event, event } from '../../core/events/event.ts';
import type { AccountStore } from '../../core/ports/account-store.ts';
import type { AuditFilter, AuditLog } from '../../core/ports/audit-log.ts';
import type { Catalogue } from '../../core/ports/catalogue.ts';
import type { CouponStore } from '../../core/ports/coupon-store.ts';
import type { CustomerLimits, Customers } from '../../core/ports/customers.ts';
import type { DeploymentChecks } from '../../core/ports/deployment-checks.ts';
import type { DeploymentFigures } from '../../core/ports/deployment-figures.ts';
import type { DeploymentLog } from '../../core/ports/deployment-log.ts';
import type { DeviceLoginStore } from '../../core/ports/device-login-store.ts';
import type { ExpiryReminders } from '../../core/ports/expiry-reminders.ts';
import type { FileLedger, FileReferences } from '../../core/ports/file-ledger.ts';
import type { HostHistory } from '../../core/ports/host-history.ts';
import type { InvoiceProfileStore } from '../../core/ports/invoice-profile-store.ts';
import type { LeaseKeyStore } from '../../core/ports/lease-key-store.ts';
import type { LeaseTermsReader } from '../../core/ports/lease-terms.ts';
import type { LicenseAliases } from '../../core/ports/license-aliases.ts';
import type { LicenseCounts } from '../../core/ports/license-counts.ts';
import type { LicenseImports } from '../../core/ports/license-imports.ts';
import type { LicenseInstances } from '../../core/ports/license-instances.ts';
import type { LicenseDetails, LicenseSearch } from '../../core/ports/license-search.ts';
import type { LicenseStore } from '../../core/ports/license-store.ts';
import type { LicenseUses } from '../../core/ports/license-uses.ts';
import type { LoginStore } from '../../core/ports/login-store.ts';
import type { MailStore } from '../../core/ports/mail-store.ts';
import type { NotificationStore } from '../../core/ports/notification-store.ts';
import type { OneTimeLinks } from '../../core/ports/one-time-links.ts';
import type { OrderStore } from '../../core/ports/order-store.ts';
import type { PaidPlans } from '../../core/ports/paid-plans.ts';
import type { ProductStore } from '../../core/ports/product-store.ts';
import type { PurchaseLedger } from '../../core/ports/purchase-ledger.ts';
import type { RatingStore } from '../../core/ports/rating-store.ts';
import type { ReleaseCodes } from '../../core/ports/release-codes.ts';
import type { SellerPageStore } from '../../core/ports/seller-page-store.ts';
import type { SessionStore } from '../../core/ports/session-store.ts';
import type { SiteSettingsStore } from '../../core/ports/site-settings-store.ts';
import type { StrayStore } from '../../core/ports/stray-store.ts';
import type { TemplateStore } from '../../core/ports/template-store.ts';
import type { TestClocks } from '../../core/ports/test-clocks.ts';
import type { UnprovenDomains } from '../../core/ports/unproven-domains.ts';
import type { UploadLog } from '../../core/ports/upload-log.ts';
import type { UsageFigures, UsageSnapshots } from '../../core/ports/usage-figures.ts';
import type { UsageLog } from '../../core/ports/usage-log.ts';
import type { UsdcClaims } from '../../core/ports/usdc-claims.ts';
import type { UsdcStore } from '../../core/ports/usdc-store.ts';
import type { UserDetailsReader } from '../../core/ports/user-details.ts';
import type { WalletStore } from '../../core/ports/wallet-store.ts';
import type { WebhookQueue } from '../../core/ports/webhook-queue.ts';
import type { WebhookStore } from '../../core/ports/webhook-store.ts';
import type { WebhookExpiries, WebhookVerifications } from '../../core/ports/webhook-telling.ts';
import type { WorkQueue } from '../../core/ports/work-queue.ts';
import { isRefused } from '../../core/refusal.ts';
import type { Template } from '../../core/templates/template.ts';
import { by } from './by.ts';
import { inMemory } from './in-memory.ts';
import { issuedAt } from './license-acts.ts';
import { makeMigratedFiles } from './migrated-file.ts';
import { postgres } from './postgres-backend.ts';
import { skipLong } from './required-service.ts';
import { openSqliteStores } from './sqlite-stores.ts';

/** The stores of one database. */
export interface Stores {
  readonly licenses: LicenseStore;
  readonly aliases: LicenseAliases;
  readonly instances: LicenseInstances;
  readonly unproven: UnprovenDomains;
  readonly uses: LicenseUses;
  readonly search: LicenseSearch;
  readonly lists: LicenseDetails;
  readonly imports: LicenseImports;
  readonly accounts: AccountStore;
  readonly logins: LoginStore;
  readonly sessions: SessionStore;
  readonly links: OneTimeLinks;
  readonly devices: DeviceLoginStore;
  readonly products: ProductStore;
  /** The catalogue, which reads at most so much at once. */
  catalogue(bounds?: Bounds): Catalogue;
  readonly orders: OrderStore;
  readonly coupons: CouponStore;
  /** The lists of customers, which read at most so much of each. */
  customers(limits?: CustomerLimits): Customers;
  readonly ratings: RatingStore;
  readonly sellerPages: SellerPageStore;
  readonly invoiceProfiles: InvoiceProfileStore;
  readonly wallets: WalletStore;
  readonly leaseKeys: LeaseKeyStore;
  readonly hostHistory: HostHistory;
  readonly leaseTerms: LeaseTermsReader;
  readonly usdc: UsdcStore;
  readonly strays: StrayStore;
  readonly usdcClaims: UsdcClaims;
  readonly auditLog: AuditLog;
  /** The events of the audit trail, without their ids. */
  readonly audit: { list(filter: AuditFilter): Promise<Event[]> };
  readonly templates: TemplateStore;
  readonly purchases: PurchaseLedger;
  readonly uploads: UploadLog;
  readonly details: UserDetailsReader;
  readonly usage: UsageLog;
  readonly figures: UsageFigures;
  readonly counts: LicenseCounts;
  readonly snapshots: UsageSnapshots;
  readonly deployments: DeploymentLog;
  readonly checks: DeploymentChecks;
  readonly deploymentFigures: DeploymentFigures;
  readonly codes: ReleaseCodes;
  readonly ledger: FileLedger;
  readonly references: FileReferences;
  readonly idempotency: IdempotencyStore;
  readonly mails: MailStore;
  readonly notifications: NotificationStore;
  readonly webhooks: WebhookStore;
  readonly webhookQueue: WebhookQueue;
  readonly expiries: WebhookExpiries;
  readonly reminders: ExpiryReminders;
  readonly clocks: TestClocks;
  readonly plans: PaidPlans;
  readonly webhookVerifications: WebhookVerifications;
  readonly work: WorkQueue;
  readonly counters: CounterArchive;
  readonly settings: SiteSettingsStore;
  /** The names of all tables. */
  tables(): Promise<string[]>;
  close(): Promise<void>;
}

/** A database on which the contract suites run. */
export interface Backend {
  readonly name: string;
  /** The reason if it cannot be tested here, for example a missing environment variable. */
  readonly skip?: string | undefined;
  /** Makes a place for databases of this kind, which a suite opens one after the other. */
  make(): Promise<StoresPlace>;
}

export interface StoresPlace {
  /** Opens a new, empty database. The one before must be closed. */
  open(): Promise<Stores>;
  /** Deletes the place with its last database, which must be closed. */
  remove(): Promise<void>;
}

const sqlite: Backend = {
  name: 'sqlite',
  async make() {
    const place = await makeMigratedFiles();
    return { open: async () => openSqliteStores(await place.next()), remove: place.remove };
  },
};

/**
 * A database in this list runs all contract suites. Set `skip` if its environment variable is not set. The one in memory
 * runs them only with TEST_LONG, because it differs from the one in a file only in how it is opened, and the tests of HTTP
 * use it too.
 */
export const backends: readonly Backend[] = [{ ...inMemory, skip: skipLong }, sqlite, postgres];

/**
 * Opens a new database for each test of the current suite. Skips the suite, with the reason, if the backend is skipped.
 */
export function openForEach(backend: Backend): Omit<Stores, 'close'> {
  return openIn(backend, { open: beforeEach, close: afterEach });
}

/**
 * Opens one database for all tests of the current suite. Skips the suite, with the reason, if the backend is skipped.
 */
export function openForAll(backend: Backend): Omit<Stores, 'close'> {
  return openIn(backend, { open: before, close: after });
}

function openIn({ name, skip, make }: Backend, hooks: Readonly<Record<'open' | 'close', Mocha.HookFunction>>) {
  let place: StoresPlace | undefined;
  let stores: Stores | undefined;
  before(async function () {
    if (skip !== undefined) {
      console.warn(`      ${name} is skipped: ${skip}`);
      this.skip();
    }
    place = await make();
  });
  hooks.open(async () => {
    stores = await place?.open();
  });
  hooks.close(() => stores?.close());
  after(() => place?.remove());
  const opened = () => {
    if (stores === undefined) throw new Error('The stores are open in tests only.');
    return stores;
  };
  return {
    get licenses() {
      return opened().licenses;
    },
    get aliases() {
      return opened().aliases;
    },
    get uses() {
      return opened().uses;
    },
    get instances() {
      return opened().instances;
    },
    get unproven() {
      return opened().unproven;
    },
    get search() {
      return opened().search;
    },
    get lists() {
      return opened().lists;
    },
    get imports() {
      return opened().imports;
    },
    get accounts() {
      return opened().accounts;
    },
    get logins() {
      return opened().logins;
    },
    get sessions() {
      return opened().sessions;
    },
    get links() {
      return opened().links;
    },
    get devices() {
      return opened().devices;
    },
    get products() {
      return opened().products;
    },
    get catalogue() {
      return opened().catalogue;
    },
    get orders() {
      return opened().orders;
    },
    get coupons() {
      return opened().coupons;
    },
    get customers() {
      return opened().customers;
    },
    get checks() {
      return opened().checks;
    },
    get codes() {
      return opened().codes;
    },
    get ratings() {
      return opened().ratings;
    },
    get sellerPages() {
      return opened().sellerPages;
    },
    get invoiceProfiles() {
      return opened().invoiceProfiles;
    },
    get usdc() {
      return opened().usdc;
    },
    get strays() {
      return opened().strays;
    },
    get usdcClaims() {
      return opened().usdcClaims;
    },
    get leaseKeys() {
      return opened().leaseKeys;
    },
    get hostHistory() {
      return opened().hostHistory;
    },
    get leaseTerms() {
      return opened().leaseTerms;
    },
    get wallets() {
      return opened().wallets;
    },
    get auditLog() {
      return opened().auditLog;
    },
    get audit() {
      return opened().audit;
    },
    get templates() {
      return opened().templates;
    },
    get purchases() {
      return opened().purchases;
    },
    get uploads() {
      return opened().uploads;
    },
    get details() {
      return opened().details;
    },
    get usage() {
      return opened().usage;
    },
    get figures() {
      return opened().figures;
    },
    get counts() {
      return opened().counts;
    },
    get snapshots() {
      return opened().snapshots;
    },
    get deployments() {
      return opened().deployments;
    },
    get deploymentFigures() {
      return opened().deploymentFigures;
    },
    get ledger() {
      return opened().ledger;
    },
    get references() {
      return opened().references;
    },
    get idempotency() {
      return opened().idempotency;
    },
    get mails() {
      return opened().mails;
    },
    get notifications() {
      return opened().notifications;
    },
    get webhooks() {
      return opened().webhooks;
    },
    get webhookQueue() {
      return opened().webhookQueue;
    },
    get expiries() {
      return opened().expiries;
    },
    get reminders() {
      return opened().reminders;
    },
    get clocks() {
      return opened().clocks;
    },
    get plans() {
      return opened().plans;
    },
    get webhookVerifications() {
      return opened().webhookVerifications;
    },
    get work() {
      return opened().work;
    },
    get counters() {
      return opened().counters;
    },
    get settings() {
      return opened().settings;
    },
    tables: () => opened().tables(),
  };
}

/** Adds a user with this name. */
export async function addUser({ accounts }: Pick<Stores, 'accounts'>, name: string): Promise<User> {
  const email = `${name.toLowerCase()}@example.com`;
  const user = await accounts.add(
    { ...plainUser, name, email, tier: 'pro', createdAt: issuedAt },
    event('user.added', email, by, issuedAt),
  );
  if (isRefused(user)) throw new Error(user.detail);
  return user;
}

/** Returns a new template. All its fields have different values, so that mixed-up fields are noticed. */
export function newTemplate(fields: Partial<Template> = {}): Omit<Template, 'id' | 'downloadCount'> {
  return {
    slug: 'uniswap-dex',
    title: 'Uniswap "DEX" — ünïcode',
    description: 'An exchange that\nnobody keeps.',
    category: 'defi-dex',
    tier: 'pro',
    tags: ['dex', "swap 'n' go"],
    parameters: [
      { name: 'fee', type: 'number', label: 'Fee', description: 'In basis points.', required: true, default: 30 },
      {
        name: 'chain',
        type: 'select',
        label: 'Chain',
        description: 'Where it runs.',
        required: false,
        default: null,
        options: ['Base', 'BSC'],
      },
    ],
    createdAt: issuedAt + 2,
    zip: 'templates/dex.zip',
    ...fields,
  };
}

/** Adds a template with this slug. */
export async function addTemplate(
  { templates }: Pick<Stores, 'templates'>,
  slug: string,
  fields: Partial<Template> = {},
): Promise<Template> {
  const template = await templates.add(newTemplate({ ...fields, slug }), event('template.added', slug, by, issuedAt));
  if (isRefused(template)) throw new Error(template.detail);
  return template;
}
