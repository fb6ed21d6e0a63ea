import type { Event } from '../events/event.ts';
import type { ProductId } from '../id.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import type { Activation, License, Validity, Verdict, Verifications } from '../licensing/license.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { Product } from '../marketplace/product.ts';
import type { Refused } from '../refusal.ts';

/** A license as it is issued: no domain holds a slot yet. */
export type NewLicense = Pick<License, 'key' | 'productId' | 'standing' | 'maxDomains' | 'expiresAt' | 'createdAt'>;

/** A license with what is told of it. */
export interface LicenseRecord {
  readonly license: License;
  readonly product: Pick<Product, 'id' | 'title' | 'slug'>;
  /** Newest first, and at most `shownDomains`. */
  readonly domains: readonly Activation[];
  /** The verifications of all its domains together, of those too that are not among `domains`. */
  readonly verifications: Verifications;
}

/** What a decision makes of a license, and at most one of its domains. */
export interface LicenseChange {
  readonly license: License;
  readonly add?: Activation;
  readonly remove?: DomainName;
  /** What is to be told of it; without one nothing was changed, and nothing is written. */
  readonly event?: Event;
}

export interface LicenseFilter {
  readonly productId?: ProductId;
  /** Only licenses issued after this one, in order of issue: the last key of the page before. */
  readonly after?: LicenseKey;
  readonly limit: number;
}

/** `stale`: it may be some seconds old, if another server answers faster or with less load. */
export type Freshness = 'fresh' | 'stale';

/** Licenses and their domains. Every write is durable when its promise resolves, and visible to every later call. */
export interface LicenseStore {
  /** Adds all or none. Refused if a key exists already (in the store or an import, or twice in the list), naming it. */
  add(licenses: readonly NewLicense[], events: readonly Event[]): Promise<undefined | Refused<'key_taken'>>;

  /**
   * Everything in the record is of one moment, of now if `stale` is not given. A license that exists is found in any case. Reads no
   * more domains into memory than it returns.
   */
  find(key: LicenseKey, freshness?: Freshness): Promise<LicenseRecord | undefined>;

  /** In order of issue. May be some seconds old. */
  list(filter: LicenseFilter): Promise<LicenseRecord['license'][]>;

  /**
   * Loads a license and, where one is named, its domain; lets `decide` decide; saves what it says, its event included.
   * Nothing else changes the license between load and save, in this process or another.
   */
  change<R extends string>(
    key: LicenseKey,
    domain: DomainName | undefined,
    decide: (license: License, activation: Activation | undefined) => LicenseChange | Refused<R>,
  ): Promise<LicenseChange | Refused<R | 'invalid_key'>>;

  /**
   * Lets `decide` judge a license and whether the domain is activated on it. A `valid` verdict is counted on the domain
   * exactly once, durably, before the promise resolves. `decide` may be called more than once; the last verdict is the answer.
   */
  verify(
    key: LicenseKey,
    domain: DomainName,
    decide: (license: Validity | undefined, isActivated: boolean) => Verdict,
  ): Promise<Verdict>;
}
