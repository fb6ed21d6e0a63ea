import type { LicenseKey } from '../licensing/license-key.ts';
import type { Instant } from './clock.ts';

/** Counts verifications that name no domain. */
export interface LicenseUses {
  /**
   * Counts one exactly once, durably, before the promise resolves. Returns `retired.verificationCount` of the license
   * afterwards, or `undefined` if no license has the key.
   */
  count(key: LicenseKey, at: Instant): Promise<number | undefined>;
}
