import type { ProductId } from '../id.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import type { Activation, LicenseStatus } from '../licensing/license.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { LicenseNotes } from '../licensing/license-notes.ts';
import type { Reachable } from '../selling/seller.ts';
import type { SoldLicense } from '../selling/sold-license.ts';
import type { Instant } from './clock.ts';

/** The orders of lists. `expires` begins with the license that expires first, and leaves out perpetual ones. */
export const licenseOrders = ['newest', 'oldest', 'expires'] as const;
export type LicenseOrder = (typeof licenseOrders)[number];

/** Where a page of a list or of a search ended: a row number, and what the list is sorted by, if that is not the number. */
export interface LicensePlace {
  readonly id: number;
  /**
   * The time of expiry, the text that was found, or that the license was found by its key. The key itself is not part of
   * the place, because the license can belong to somebody else.
   */
  readonly by: { readonly expiresAt: Instant } | { readonly text: string } | { readonly isByKey: true } | null;
}

/** Which licenses to list. */
export interface LicenseQuery {
  readonly reach: Reachable;
  readonly productId?: ProductId | undefined;
  readonly status?: LicenseStatus | undefined;
  /** Lists only licenses that expire before this instant. */
  readonly expiresBefore?: Instant | undefined;
  readonly after?: LicensePlace | undefined;
  readonly limit: number;
}

/** `next` is `undefined` after the last page. */
export interface FoundLicenses {
  readonly licenses: readonly Omit<SoldLicense, 'status'>[];
  readonly next: LicensePlace | undefined;
}

/**
 * Finds licenses for sellers. A page reads a bounded number of rows, so that its time does not grow with the number of
 * licenses. It can be short or empty, and still have a next page.
 */
export interface LicenseSearch {
  /** Lists licenses in this order. `now` decides which are expired. May be some seconds old. */
  list(query: LicenseQuery, order: LicenseOrder, now: Instant): Promise<FoundLicenses>;
  /**
   * Finds licenses by the start of their key, from its first group on, and by texts that begin with `search`: the last
   * four characters of the key, active domains, holder and reference. Upper and lower case are the same. Lists first those
   * found by key, then the others in the order of the texts, each license once. May be some seconds old.
   */
  find(query: LicenseQuery, search: string, now: Instant): Promise<FoundLicenses>;
  /** Returns the seller's notes on a license, or `undefined` if there is no such license. Never old. */
  notesOf(key: LicenseKey): Promise<LicenseNotes | undefined>;
  /**
   * Returns those of the domains that are activated on the license, and up to 50 activated domains on each side of the
   * first one in alphabetical order, because they could be meant. Also those that have ended. Never old.
   */
  domainsNear(
    key: LicenseKey,
    domains: readonly [DomainName, ...DomainName[]],
  ): Promise<readonly Pick<Activation, 'domain' | 'endsAt'>[]>;
}

/** A domain of a license that is activated until somebody deactivates it. */
export interface LastingDomain {
  readonly key: LicenseKey;
  readonly domain: DomainName;
  readonly activatedAt: Instant;
  /** The position of this activation among all activations of the license. */
  readonly ordinal: number;
}

/** Reads the data that lists of licenses leave out because it can be large. */
export interface LicenseDetails {
  /** Returns the metadata of those licenses that have any. May be some seconds old. */
  metadataOf(keys: readonly LicenseKey[]): Promise<ReadonlyMap<LicenseKey, LicenseNotes['metadata']>>;
  /**
   * Returns the domains of these licenses in several parts. The licenses are in the order of their issue. Leaves out
   * hosts that are being moved away. May be some seconds old.
   */
  domainsOf(keys: readonly LicenseKey[]): AsyncIterable<readonly LastingDomain[]>;
}
