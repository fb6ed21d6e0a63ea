import type { Event } from '../events/event.ts';
import type { ProductId } from '../id.ts';
import type { License } from '../licensing/license.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { Stray } from '../licensing/strays.ts';
import type { HostRules } from '../marketplace/product-terms.ts';
import type { News } from './change.ts';
import type { Instant } from './clock.ts';

/** What a license's refused calls change. */
export interface StrayChange {
  readonly strays: readonly Stray[];
  /** How many calls were refused on the day of `at`. */
  readonly calls: number;
  /** If the license is suspected to be leaked. */
  readonly event?: Event | undefined;
  readonly news?: News | undefined;
}

/** The calls of one day, in UTC, that were refused. */
export interface StrayDay {
  readonly day: Instant;
  readonly calls: number;
}

/** The strays of licenses, and how many calls they made. */
export interface StrayStore {
  /**
   * Loads the strays of a license, and when a leak was suspected last. Saves what `decide` returns, in one transaction with event,
   * webhooks and news. Does nothing if there is no such license, or if `decide` returns `undefined`.
   */
  change(
    key: LicenseKey,
    at: Instant,
    decide: (before: {
      readonly license: License;
      readonly product: { readonly title: string; readonly hosts: HostRules };
      readonly strays: readonly Stray[];
      readonly suspectedAt: Instant | null;
    }) => StrayChange | undefined,
  ): Promise<void>;
  /** Those of a license, with the most calls first. May be some seconds old. */
  ofLicense(key: LicenseKey): Promise<readonly Stray[]>;
  /** The days with refused calls from this time on, oldest first. */
  days(of: { readonly key: LicenseKey } | { readonly productId: ProductId }, from: Instant): Promise<StrayDay[]>;
  /** The licenses of a product with the most refused calls since then, at most `limit`. */
  ofProduct(
    productId: ProductId,
    from: Instant,
    limit: number,
  ): Promise<readonly { readonly key: LicenseKey; readonly calls: number; readonly domains: number }[]>;
  /** Deletes strays and days from before a time, and what is known of leaks of licenses without strays. Returns how many. */
  forget(before: Instant): Promise<number>;
}
