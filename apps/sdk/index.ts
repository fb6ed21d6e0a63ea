import { normalizeDomain as normalize } from '../../core/licensing/domain-name.ts';
import { createGuard, type LicenseGuard } from './guard/guard.ts';
import type { GuardOptions } from './guard/options.ts';
import { thisPlatform } from './platform.ts';

export type { Change, LicenseGuard, Verdict } from './guard/guard.ts';
export type { GuardOptions } from './guard/options.ts';
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
