import { parseLicenseKey } from '../licensing/license-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Figures, UsageFigures } from '../ports/usage-figures.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { findProductOf, reaches, type Seller } from './seller.ts';
import { type AskedRange, pointsOf, rangeOf, type UsagePoint, type UsageRange } from './usage-hours.ts';

/** The id or slug of a product, or the key of a license, as the caller wrote it. */
export type UsageSubject = { readonly product: string } | { readonly license: string };

/** The usage of a product or license. Verifications are counted up to the last full hour. */
export interface UsageReport {
  readonly range: UsageRange;
  /** One point for each hour or day of the range, oldest first. */
  readonly points: readonly UsagePoint[];
  /** The verifications of all points. */
  readonly total: number;
}

/** The usage of a seller's products and licenses. */
export interface SellingUsage {
  /** Licenses have figures of days only. Those of others are not found, like those that do not exist. */
  usage(
    subject: UsageSubject,
    asked: AskedRange,
    seller: Seller,
  ): Promise<UsageReport | Refused<'not_found' | 'days_only' | 'range_empty' | 'range_too_long'>>;
}

interface SellingUsagePorts {
  readonly figures: UsageFigures;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly licenses: Pick<LicenseStore, 'find'>;
  readonly clock: Clock;
}

export function createSellingUsage({ figures, products, licenses, clock }: SellingUsagePorts): SellingUsage {
  /** Returns a reader of the figures, or `undefined` if the seller does not reach the subject. */
  async function readerOf(subject: UsageSubject, seller: Seller) {
    if ('product' in subject) {
      const product = await findProductOf(products, subject.product, seller, 'products:manage');
      if (isRefused(product)) return undefined;
      return (range: UsageRange): Promise<Figures> => figures.ofProduct(product.id, range);
    }
    const key = parseLicenseKey(subject.license);
    const found = key === undefined ? undefined : await licenses.find(key, 'stale');
    if (found === undefined || !reaches(seller, 'licenses:manage', found.license)) return undefined;
    return (range: UsageRange): Promise<Figures> => figures.ofLicense(found.license.key, range);
  }

  return {
    async usage(subject, asked, seller) {
      const read = await readerOf(subject, seller);
      if (read === undefined) return refuse('not_found');
      if ('license' in subject && asked.by === 'hour') return refuse('days_only');
      const range = rangeOf(asked, clock.now());
      if (isRefused(range)) return range;
      const { rows, domainsBefore } = await read(range);
      const points = pointsOf(rows, range, domainsBefore);
      return { range, points, total: points.reduce((sum, { verifications }) => sum + verifications, 0) };
    },
  };
}
