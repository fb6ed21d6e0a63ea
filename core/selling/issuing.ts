import { byOf } from '../accounts/role.ts';
import { addUnderNewKeys } from '../licensing/add-licenses.ts';
import { statusOf, unused } from '../licensing/license.ts';
import { type LicenseNotes, noNotes } from '../licensing/license-notes.ts';
import { termsAtIssue } from '../licensing/terms.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { findProductOf } from './find-product.ts';
import type { Seller } from './seller.ts';
import type { SoldLicense } from './sold-license.ts';

/** The most licenses that a seller issues in one call. */
export const mostIssued = 1_000;

/** A seller's request for new licenses. Absent values come from the terms of the product. */
export interface IssueOrder extends Partial<LicenseNotes> {
  /** Id or slug. */
  readonly product: string;
  /** 1 to `mostIssued`. */
  readonly count: number;
  /** 1 to `maxDomainsLimit`. */
  readonly maxDomains?: number | undefined;
  /** `null` means perpetual. */
  readonly expiresAt?: Instant | null | undefined;
}

type IssueRefusal = 'product_not_found' | 'product_archived' | 'expiry_not_later';

/** Issues licenses under new keys, all or none. */
export type IssueLicenses = (order: IssueOrder, seller: Seller) => Promise<SoldLicense[] | Refused<IssueRefusal>>;

export function createIssueLicenses(
  store: Pick<LicenseStore, 'add'>,
  products: ProductStore,
  clock: Clock,
  secrets: Secrets,
): IssueLicenses {
  return async ({ product: idOrSlug, count, maxDomains, expiresAt, ...given }, seller) => {
    const product = await findProductOf(products, idOrSlug, seller, 'licenses:manage');
    if (isRefused(product)) return product;
    if (product.archivedAt !== null) {
      return refuse('product_archived', 'The product is archived, so no licenses can be issued for it.');
    }
    const now = clock.now();
    if (typeof expiresAt === 'number' && expiresAt <= now) {
      return refuse('expiry_not_later', 'The expiry must be in the future.');
    }
    const { ownerId, isLive } = product;
    const notes = { ...noNotes, ...given };
    const issued = await addUnderNewKeys(
      store,
      secrets,
      {
        ...termsAtIssue(product.id, product.terms, now),
        ...(maxDomains !== undefined && { maxDomains }),
        ...(expiresAt !== undefined && { expiresAt, daysFromActivation: null }),
        standing: 'active',
        createdAt: now,
        notes,
      },
      count,
      byOf(seller.actor),
    );
    return issued.map(({ notes: _, ...one }) => {
      const license = { ...unused, ...one, ownerId, isLive };
      return { license, status: statusOf(license, now), product, notes };
    });
  };
}
