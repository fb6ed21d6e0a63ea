import { byOf } from '../accounts/role.ts';
import { createDomainChanges, type Moved } from '../licensing/domain-changes.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import { createExplainRecord, type ExplainRecord } from '../licensing/explaining.ts';
import type { Explanation } from '../licensing/explanation.ts';
import { parseLicenseKey } from '../licensing/license-key.ts';
import type { ActivatedHost } from '../licensing/licensing.ts';
import type { ProofPorts } from '../licensing/look-up-proof.ts';
import type { Move, MoveRefused } from '../licensing/move.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import { askedBy } from '../ports/domain-proofs.ts';
import type { LicenseAliases } from '../ports/license-aliases.ts';
import type { LicenseSearch } from '../ports/license-search.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { LongWork } from '../ports/long-work.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { TestClocks } from '../ports/test-clocks.ts';
import type { OrderPorts } from '../purchases/settle.ts';
import type { Refused } from '../refusal.ts';
import { type BulkTransit, createBulkTransit } from './bulk.ts';
import { type Changing, createChanging, createTransitLicense } from './changing.ts';
import { createFindLicense, needingReach, unknownLicense } from './find-license.ts';
import { createFinding, type Finding } from './finding.ts';
import { createIssueLicenses, type IssueLicenses } from './issuing.ts';
import { createSetLicenseClock, type SetLicenseClock } from './license-clock.ts';
import { createLicenseKeys, type LicenseKeys } from './license-keys.ts';
import type { Seller } from './seller.ts';

/**
 * What sellers can do with the licenses of their products, and administrators with all. Each needs `licenses:manage`. A
 * license that the seller cannot reach is `invalid_key`.
 */
export interface SellerLicenses extends Finding, Changing {
  readonly issue: IssueLicenses;
  readonly bulk: BulkTransit;
  readonly explain: ExplainLicense;
  readonly domains: LicenseDomains;
  readonly keys: LicenseKeys;
  readonly setClock: SetLicenseClock;
}

/**
 * What sellers can do with the domains of a license. Each needs `licenses:manage` on the license. A license that the
 * seller cannot reach is `invalid_key`.
 */
export interface LicenseDomains {
  /** Moves the license from one host to another. `domain` is the name under which it is activated on the new one. */
  move(key: string, move: Move, seller: Seller): Promise<Moved | Refused<MoveRefused | 'invalid_key'>>;
  /** Frees the slot of a host, in every status of the license. */
  remove(
    key: string,
    domain: DomainName,
    seller: Seller,
  ): Promise<ActivatedHost | Refused<'domain_not_found' | 'invalid_key'>>;
}

interface SellerLicensesPorts extends ProofPorts, Pick<OrderPorts, 'limiter'> {
  readonly store: LicenseStore;
  readonly aliases: LicenseAliases;
  readonly search: LicenseSearch;
  readonly products: ProductStore;
  readonly log: AuditLog;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly longWork: LongWork;
  readonly write: WriteLetter;
  readonly clocks: TestClocks;
  readonly orders: Pick<OrderStore, 'findByLicense'>;
}

export function createSellerLicenses({
  store,
  aliases,
  search,
  products,
  log,
  clock,
  secrets,
  longWork,
  write,
  clocks,
  orders,
  limiter,
  proofs,
  unproven,
}: SellerLicensesPorts): SellerLicenses {
  const find = createFindLicense(store, search, clock);
  const transit = createTransitLicense(store, clock);
  return {
    ...createFinding({ find, aliases, search, products, log, clock }),
    ...createChanging(store, find, transit, clock),
    issue: createIssueLicenses(store, products, clock, secrets, longWork),
    bulk: createBulkTransit(store, clock, longWork),
    explain: createExplainLicense(store, createExplainRecord({ search, products, clock, proofs, unproven })),
    domains: createLicenseDomains({ store, clock }),
    keys: createLicenseKeys({ store: aliases, find, clock, secrets, write }),
    setClock: createSetLicenseClock({ clocks, orders, find, write, clock, limiter, longWork }),
  };
}

export function createLicenseDomains({ store, clock }: Pick<SellerLicensesPorts, 'store' | 'clock'>): LicenseDomains {
  const changes = createDomainChanges(store, clock);
  return {
    async move(text, asked, seller) {
      const key = parseLicenseKey(text);
      if (key === undefined) return unknownLicense();
      return await changes.move(key, asked, byOf(seller.actor), (license) => needingReach(license, seller));
    },

    async remove(text, domain, seller) {
      const key = parseLicenseKey(text);
      if (key === undefined) return unknownLicense();
      return await changes.remove(key, domain, byOf(seller.actor), (license) => needingReach(license, seller));
    },
  };
}

/** Explains why a license is valid for a domain, or not. Only reads: it counts no verification. May look a proof up. */
type ExplainLicense = (key: string, domain: string, seller: Seller) => Promise<Explanation | Refused<'invalid_key'>>;

function createExplainLicense(store: Pick<LicenseStore, 'find'>, explain: ExplainRecord): ExplainLicense {
  return async (text, address, seller) => {
    const key = parseLicenseKey(text);
    const record = key && (await store.find(key));
    if (record === undefined) return unknownLicense();
    return needingReach(record.license, seller) ?? (await explain(record, address, lookedUpFor(seller)));
  };
}

/** Lookups of proofs are counted for the account, whatever network it uses. */
function lookedUpFor({ actor }: Seller): string {
  return actor.kind === 'user' ? askedBy(actor.user.id) : askedBy(actor.kind);
}
