import type { Event } from '../events/event.ts';
import type { ProductId, UserId } from '../id.ts';
import type { ChangedActivations, Surroundings } from '../licensing/activations.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import type { Activation, License, Verifications } from '../licensing/license.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { LicenseNotes } from '../licensing/license-notes.ts';
import type { Verdict, Verifiable } from '../licensing/verdict.ts';
import type { Product } from '../marketplace/product.ts';
import type { KeyRules } from '../marketplace/product-terms.ts';
import type { Refused } from '../refusal.ts';
import type { Instant } from './clock.ts';

/** A license at the time of issue, without activated domains. The store adds owner and mode, which its product has. */
export interface NewLicense
  extends Pick<License, 'key' | 'productId' | 'standing' | 'maxDomains' | 'expiresAt' | 'createdAt'> {
  /** The days from its first activation to its expiry, if it starts then. */
  readonly daysFromActivation?: number | null;
  /** See `Terms`. */
  readonly updatesUntil?: License['updatesUntil'];
  readonly entitlements?: License['entitlements'];
  readonly notes?: LicenseNotes;
  /** See `License`. */
  readonly ownStanding?: License['ownStanding'];
}

/** A license with the data that is shown with it. */
export interface LicenseRecord {
  /** A number that no other license has. It never changes. */
  readonly number: number;
  readonly license: License;
  readonly product: Pick<Product, 'id' | 'title' | 'slug'>;
  /**
   * Newest first: all that take no slot or that end at some time, also those that have ended, and the `shownDomains`
   * newest of the others.
   */
  readonly domains: readonly Activation[];
  /** The verifications of all its domains, including those that are not in `domains`. */
  readonly verifications: Verifications;
}

/** The rules of the product at that moment, and the activations that the caller named. */
export interface Scene extends Surroundings {
  readonly movesPerMonth: number;
  readonly keyRules: KeyRules;
  /** The days for which the product's licenses last. `null` means for ever. */
  readonly durationDays: number | null;
  /** Only if the change asks for them: they can be large. */
  readonly notes?: LicenseNotes;
}

/** The result of a decision about a license and some of its hosts. */
export interface LicenseChange extends ChangedActivations {
  readonly license: License;
  /** The notes that change. */
  readonly notes?: Partial<LicenseNotes>;
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
  /** As `add`. Refuses if the owner would have more than `most` licenses. Calls of all processes cannot exceed that together. */
  addWithin(
    owner: { readonly id: UserId; readonly most: number },
    licenses: readonly NewLicense[],
    events: readonly Event[],
  ): Promise<undefined | Refused<'key_taken' | 'too_many_licenses'>>;

  /**
   * Returns a consistent snapshot of the license, which is current unless `stale` is given. Finds every existing
   * license, also with `stale`. Reads only the domains that it returns.
   */
  find(key: LicenseKey, freshness?: Freshness): Promise<LicenseRecord | undefined>;

  /**
   * Returns the license with this key or number, without its domains: however many it has, this takes the same time. Never old.
   */
  look(
    by: { readonly key: LicenseKey } | { readonly number: number },
  ): Promise<Pick<LicenseRecord, 'number' | 'license'> | undefined>;

  /**
   * Those of these licenses that exist, in any order, each with its `most` newest domains that do not end. Never old. One
   * statement.
   */
  findAll(
    keys: readonly LicenseKey[],
    most: number,
  ): Promise<readonly { readonly license: License; readonly domains: readonly DomainName[] }[]>;

  /** In order of issue. May be some seconds old. */
  list(filter: LicenseFilter): Promise<LicenseRecord['license'][]>;

  /**
   * Loads a license with the rules of its product and with the named hosts, calls `decide`, and saves the result with
   * its event. Between load and save, nothing else changes the license, in this process or another. The scene has the
   * notes if `withNotes` is `'notes'`; then no host can be named.
   */
  change<C extends LicenseChange, R extends string>(
    key: LicenseKey,
    named: readonly DomainName[] | undefined,
    decide: (license: License, scene: Scene) => C | Refused<R>,
    withNotes?: 'notes',
  ): Promise<C | Refused<R | 'invalid_key'>>;

  /**
   * Changes many different licenses, without their hosts. `decide` runs for each. Many licenses share one short
   * transaction. Returns the results in the order of the keys; `undefined` if the database became unavailable before
   * that license.
   */
  changeEach<C extends LicenseChange, R extends string>(
    keys: readonly LicenseKey[],
    decide: (license: License, scene: Scene) => C | Refused<R>,
  ): Promise<(C | Refused<R | 'invalid_key'> | undefined)[]>;

  /**
   * Removes at most `limit` hosts that have ended, and adds their verifications to those of their licenses. Leaves out
   * licenses that somebody else changes now. Returns the number of removed hosts.
   */
  removeEnded(now: Instant, limit: number): Promise<number>;

  /**
   * Calls `decide` with a license and with its activation on the host. If the host is not activated, or ends, and the
   * product has the option `wwwIsApex`, it is the activation of whichever of the two names lasts longer. A `valid`
   * verdict is counted on that activation exactly once, durably, before the promise resolves. `decide` may be called
   * more than once; the last verdict is returned.
   */
  verify(
    key: LicenseKey,
    domain: DomainName,
    decide: (license: Verifiable | undefined, activation: Pick<Activation, 'endsAt'> | undefined) => Verdict,
  ): Promise<Verdict>;
}
