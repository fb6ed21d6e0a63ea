import type { DomainName } from '../licensing/domain-name.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { Instant } from './clock.ts';

/** The hosts on which a license was activated, as the audit trail has them. */
export interface HostHistory {
  /**
   * Returns each host on which the license was activated since then, or to which it was moved, in the order of the first time, also under keys
   * that were replaced. Looks only at the `most` newest changes of the license. `isWhole`: whether there were no more since then.
   */
  activatedSince(key: LicenseKey, since: Instant, most: number): Promise<ActivatedSince>;
  /** Returns since when the license is activated on one of these hosts. `undefined` if it is on none. */
  activatedAt(key: LicenseKey, hosts: readonly DomainName[]): Promise<Instant | undefined>;
}

export interface ActivatedSince {
  readonly hosts: readonly DomainName[];
  readonly isWhole: boolean;
}
