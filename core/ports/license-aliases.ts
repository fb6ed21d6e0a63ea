import type { Event } from '../events/event.ts';
import type { Alias, AliasKind, NewAlias } from '../licensing/alias.ts';
import type { License } from '../licensing/license.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { LicenseNotes } from '../licensing/license-notes.ts';
import type { Product } from '../marketplace/product.ts';
import type { Refused } from '../refusal.ts';
import type { News } from './change.ts';
import type { Instant } from './clock.ts';

/** The license to which a text leads. The alias may have ended. */
export interface FoundAlias {
  /** The present key of the license. */
  readonly license: LicenseKey;
  readonly kind: AliasKind;
  readonly validUntil: Instant | null;
}

/** What decisions about the keys of a license need besides the license. */
export interface KeyScene {
  /** All its aliases, also those that have ended, in the order in which they were added. */
  readonly aliases: readonly Alias[];
  readonly notes: LicenseNotes;
  readonly product: Pick<Product, 'title'>;
  /** How often the holder may replace the key in a year. */
  readonly rotationsPerYear: number;
}

/** The result of a decision about the keys of a license. */
export interface KeyChange extends News {
  readonly license: License;
  /** The key that replaces the present one. */
  readonly newKey?: LicenseKey;
  readonly add?: readonly NewAlias[];
  /** The alias that no longer leads to the license from this instant on. */
  readonly end?: { readonly id: Alias['id']; readonly at: Instant };
  /** The alias that is forgotten. */
  readonly remove?: Alias['id'];
  /** Absent if nothing changed. Nothing is written then. Its subject is the key after the change. */
  readonly event?: Event;
}

/** Stores the other keys of licenses, as digests. A write is durable and visible to every later call when its promise resolves. */
export interface LicenseAliases {
  /**
   * Finds the license to which a text leads, as exactly as the kind of the alias asks. Reads the current state. Takes as
   * long for a text that leads nowhere.
   */
  find(text: string): Promise<FoundAlias | undefined>;

  /** All aliases of a license, in the order in which they were added. Empty if there is no license with this key. */
  of(key: LicenseKey): Promise<readonly Alias[]>;

  /**
   * Loads a license with its keys, calls `decide`, and saves the result with its event and news in one transaction.
   * Between load and save, nothing else changes the license. Refuses with `alias_taken` if an added text leads to a
   * license already, and with `key_taken` if a license or an import has, or had, the new key. Orders that name the license
   * by its key name it by the new one then.
   */
  change<C extends KeyChange, R extends string>(
    key: LicenseKey,
    decide: (license: License, scene: KeyScene) => C | Refused<R>,
  ): Promise<C | Refused<R | 'invalid_key' | 'alias_taken' | 'key_taken'>>;
}
