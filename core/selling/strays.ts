import type { ProductId } from '../id.ts';
import { type LicenseKey, parseLicenseKey } from '../licensing/license-key.ts';
import { type Stray, straysKeptFor } from '../licensing/strays.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { StrayDay, StrayStore } from '../ports/stray-store.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { unknownLicense } from './find-license.ts';
import { findProductOf, reaches, type Seller } from './seller.ts';
import { daysFrom, startOf, steps } from './usage-hours.ts';

/** How many days a plot has, and how many licenses of a product are listed. */
export const strayViews = { days: straysKeptFor / steps.day, licenses: 100 } as const;

/** The foreign domains that ask with the key of a license, and the refused calls of each day. */
export interface StrayReport {
  readonly strays: readonly Stray[];
  /** One for each day of the last 90, oldest first. */
  readonly days: readonly StrayDay[];
}

/** A license of a product with its refused calls of the last 90 days, and the number of its foreign domains. */
export interface StrayingLicense {
  readonly key: LicenseKey;
  readonly calls: number;
  readonly domains: number;
}

/** Where licenses are asked for that are not activated there: their sellers see it. Needs `licenses:manage`. */
export interface SellerStrays {
  ofLicense(key: string, seller: Seller): Promise<StrayReport | Refused<'invalid_key'>>;
  /** The licenses with the most refused calls first, at most 100. Needs `products:manage`. */
  ofProduct(
    idOrSlug: string,
    seller: Seller,
  ): Promise<
    { readonly licenses: readonly StrayingLicense[]; readonly days: readonly StrayDay[] } | Refused<'product_not_found'>
  >;
}

interface SellerStraysPorts {
  readonly strays: Pick<StrayStore, 'ofLicense' | 'ofProduct' | 'days'>;
  readonly licenses: Pick<LicenseStore, 'look'>;
  readonly products: Pick<ProductStore, 'findById' | 'findBySlug'>;
  readonly clock: Clock;
}

export function createSellerStrays({ strays, licenses, products, clock }: SellerStraysPorts): SellerStrays {
  async function daysOf(of: { readonly key: LicenseKey } | { readonly productId: ProductId }): Promise<StrayDay[]> {
    const from = firstDay(clock.now());
    const found = new Map((await strays.days(of, from)).map(({ day, calls }) => [day, calls]));
    return daysFrom(from, strayViews.days).map((day) => ({
      day,
      calls: found.get(day) ?? 0,
    }));
  }

  return {
    async ofLicense(text, seller) {
      const key = parseLicenseKey(text);
      const found = key && (await licenses.look({ key }));
      if (key === undefined || found === undefined || !reaches(seller, 'licenses:manage', found.license)) {
        return unknownLicense();
      }
      const [own, days] = await Promise.all([strays.ofLicense(key), daysOf({ key })]);
      return { strays: own, days };
    },

    async ofProduct(idOrSlug, seller) {
      const product = await findProductOf(products, idOrSlug, seller, 'products:manage');
      if (isRefused(product)) return product;
      const [found, days] = await Promise.all([
        strays.ofProduct(product.id, firstDay(clock.now()), strayViews.licenses),
        daysOf({ productId: product.id }),
      ]);
      return { licenses: found, days };
    },
  };
}

function firstDay(now: Instant): Instant {
  return startOf('day', now) - (strayViews.days - 1) * steps.day;
}
