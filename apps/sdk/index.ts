import { normalizeDomain as normalize } from '../../core/licensing/domain-name.ts';
import { createGuard, type GuardOptions, type LicenseGuard } from './guard/guard.ts';
import { thisPlatform } from './platform.ts';

export type { Change, GuardOptions, LicenseGuard, Verdict } from './guard/guard.ts';
export type { GuardStorage } from './platform.ts';

/**
 * Returns the canonical host of an address, or `undefined` if it has no legal host. The license server uses the same
 * code. Never throws.
 */
export const normalizeDomain: (text: string) => string | undefined = normalize;

/** Returns a guard for one license key and one domain. Throws a `TypeError` if an option is wrong. */
export function createLicenseGuard(options: GuardOptions): LicenseGuard {
  return createGuard(options, thisPlatform());
}
