import type { DomainName } from '../licensing/domain-name.ts';
import type { LicenseKey } from '../licensing/license-key.ts';

/** Knows which activated domains nobody has proven. */
export interface UnprovenDomains {
  /**
   * Of the hosts of a license that take a slot and were never proven, the one that was verified least recently: first those that never were, and of these
   * the one that was activated first. Of a license with very many, only some are compared. It may be changed by the time that it is used.
   */
  leastVerified(key: LicenseKey): Promise<DomainName | undefined>;
}
