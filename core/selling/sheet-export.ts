import type { UserId } from '../id.ts';
import type { LicenseStatus } from '../licensing/license.ts';
import { statusOf } from '../licensing/license.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type {
  FoundLicenses,
  LastingDomain,
  LicenseDetails,
  LicensePlace,
  LicenseQuery,
  LicenseSearch,
} from '../ports/license-search.ts';
import type { LicenseSheet, SheetRow } from '../ports/license-sheet.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused } from '../refusal.ts';
import { findProductOf, reachableBy, type Seller } from './seller.ts';

/** Which licenses to export. All conditions must hold. */
export interface ExportFilter {
  /** Id or slug. There are no licenses of an unknown product. */
  readonly product?: string | undefined;
  readonly status?: LicenseStatus | undefined;
  readonly expiresBefore?: Instant | undefined;
  /** Leaves out the licenses of others, for administrators. */
  readonly ownerId?: UserId | undefined;
}

/**
 * Returns a file of the seller's licenses, in the order in which they were issued, for `SheetImports`. Reads some
 * licenses at a time, as fast as the file is read: there is no long transaction, and a license that is issued or changed
 * meanwhile may be in the file or not.
 */
export type SheetExport = (filter: ExportFilter, seller: Seller) => AsyncIterable<string>;

const atOnce = 1_000;

interface SheetExportPorts {
  readonly search: Pick<LicenseSearch, 'list'>;
  readonly details: LicenseDetails;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly sheet: LicenseSheet;
  readonly clock: Clock;
}

export function createSheetExport({ search, details, products, sheet, clock }: SheetExportPorts): SheetExport {
  async function* rows(
    { product: idOrSlug, ownerId, ...same }: ExportFilter,
    seller: Seller,
  ): AsyncGenerator<SheetRow[]> {
    const reach = reachableBy(seller, 'licenses:manage');
    const product = idOrSlug && (await findProductOf(products, idOrSlug, seller, 'licenses:manage'));
    if (reach === undefined || (product && isRefused(product))) return;
    const narrowed = { ...reach, ownerId: reach.ownerId ?? ownerId };
    const query: LicenseQuery = {
      ...same,
      reach: narrowed,
      productId: product ? product.id : undefined,
      limit: atOnce,
    };
    let after: LicensePlace | undefined;
    do {
      const now = clock.now();
      const { licenses, next }: FoundLicenses = await search.list({ ...query, after }, 'oldest', now);
      yield* rowsOf(licenses, now);
      after = next;
    } while (after !== undefined);
  }

  async function* rowsOf(licenses: FoundLicenses['licenses'], now: Instant): AsyncGenerator<SheetRow[]> {
    if (licenses.length === 0) return;
    const keys = licenses.map(({ license }) => license.key);
    const metadata = await details.metadataOf(keys);
    const row = (
      { license, product, notes }: FoundLicenses['licenses'][number],
      domains: LastingDomain[],
    ): SheetRow => ({
      key: license.key,
      product: product.slug,
      maxDomains: license.maxDomains,
      expiresAt: license.expiresAt,
      daysFromActivation: license.daysFromActivation,
      updatesUntil: license.updatesUntil,
      entitlements: license.entitlements,
      status: statusOf(license, now),
      notes: { ...notes, metadata: metadata.get(license.key) ?? {} },
      domains: domains.toSorted((one, other) => one.ordinal - other.ordinal),
    });
    const left = licenses.values();
    let current = left.next().value;
    let domains: LastingDomain[] = [];
    for await (const some of details.domainsOf(keys)) {
      const full: SheetRow[] = [];
      for (const one of some) {
        for (; current && current.license.key !== one.key; current = left.next().value) {
          full.push(row(current, domains));
          domains = [];
        }
        domains.push(one);
      }
      if (full.length > 0) yield full;
    }
    const rest: SheetRow[] = [];
    for (; current; current = left.next().value) {
      rest.push(row(current, domains));
      domains = [];
    }
    yield rest;
  }

  return (filter, seller) => sheet.write(rows(filter, seller));
}
