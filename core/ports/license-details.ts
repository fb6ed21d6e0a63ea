import type { DomainName } from '../licensing/domain-name.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { LicenseNotes } from '../licensing/license-notes.ts';
import type { Instant } from './clock.ts';

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
