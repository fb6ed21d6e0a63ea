import type { Event } from '../events/event.ts';
import type { ProductId } from '../id.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import type { Activation, License, Validity, Verdict, Verifications } from '../licensing/license.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { Product } from '../marketplace/product.ts';
import type { Refused } from '../refusal.ts';

/** A license at the time of issue, without activated domains. */
export type NewLicense = Pick<License, 'key' | 'productId' | 'standing' | 'maxDomains' | 'expiresAt' | 'createdAt'>;

/** A license with the data that is shown with it. */
export interface LicenseRecord {
  readonly license: License;
  readonly product: Pick<Product, 'id' | 'title' | 'slug'>;
  /** Newest first, and at most `shownDomains`. */
  readonly domains: readonly Activation[];
  /** The verifications of all its domains, including those that are not in `domains`. */
  readonly verifications: Verifications;
}

/** The result of a decision about a license and at most one of its domains. */
export interface LicenseChange {
  readonly license: License;
  readonly add?: Activation;
  readonly remove?: DomainName;
  /** Absent if nothing changed. Nothing is written then. */
  readonly event?: Event;
}

export interface LicenseFilter {
  readonly productId?: ProductId;
  /** The last key of the previous page. Only licenses that were issued after it are returned. */
  readonly after?: LicenseKey;
  readonly limit: number;
}

/** `stale` allows data that is some seconds old, so that a replica can serve it. */
export type Freshness = 'fresh' | 'stale';

/** Stores licenses and their domains. A write is durable and visible to every later call when its promise resolves. */
export interface LicenseStore {
  /**
   * Adds all or none. Refuses if a key is in the store, in an import, or twice in the list. The refusal names the key.
   */
  add(licenses: readonly NewLicense[], events: readonly Event[]): Promise<undefined | Refused<'key_taken'>>;

  /**
   * Returns a consistent snapshot of the license, which is current unless `stale` is given. Finds every existing
   * license, also with `stale`. Reads only the domains that it returns.
   */
  find(key: LicenseKey, freshness?: Freshness): Promise<LicenseRecord | undefined>;

  /** In order of issue. May be some seconds old. */
  list(filter: LicenseFilter): Promise<LicenseRecord['license'][]>;

  /**
   * Loads a license and the domain (if given), calls `decide`, and saves the result with its event. Between load and
   * save, nothing else changes the license, in this process or another.
   */
  change<R extends string>(
    key: LicenseKey,
    domain: DomainName | undefined,
    decide: (license: License, activation: Activation | undefined) => LicenseChange | Refused<R>,
  ): Promise<LicenseChange | Refused<R | 'invalid_key'>>;

  /**
   * Calls `decide` with a license and with whether the domain is activated on it. A `valid` verdict is counted on the
   * domain exactly once, durably, before the promise resolves. `decide` may be called more than once; the last verdict
   * is returned.
   */
  verify(
    key: LicenseKey,
    domain: DomainName,
    decide: (license: Validity | undefined, isActivated: boolean) => Verdict,
  ): Promise<Verdict>;
}
