import type { AuditLog } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { LicenseSearch } from '../ports/license-search.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { type BulkTransit, createBulkTransit } from './bulk.ts';
import { type Changing, createChanging, createTransitLicense } from './changing.ts';
import { createExplainLicense, type ExplainLicense } from './explaining.ts';
import { createFindLicense } from './find-license.ts';
import { createFinding, type Finding } from './finding.ts';
import { createIssueLicenses, type IssueLicenses } from './issuing.ts';

/**
 * What sellers can do with the licenses of their products, and administrators with all. Each needs `licenses:manage`. A
 * license that the seller cannot reach is `invalid_key`.
 */
export interface SellerLicenses extends Finding, Changing {
  readonly issue: IssueLicenses;
  readonly bulk: BulkTransit;
  readonly explain: ExplainLicense;
}

export function createSellerLicenses(
  store: LicenseStore,
  search: LicenseSearch,
  products: ProductStore,
  log: AuditLog,
  clock: Clock,
  secrets: Secrets,
): SellerLicenses {
  const find = createFindLicense(store, search, clock);
  const transit = createTransitLicense(store, products, clock);
  return {
    ...createFinding(find, search, products, log, clock),
    ...createChanging(store, find, transit, clock),
    issue: createIssueLicenses(store, products, clock, secrets),
    bulk: createBulkTransit(transit, clock),
    explain: createExplainLicense(store, search, products, clock),
  };
}
