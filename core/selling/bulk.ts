import { type LicenseStatus, statusOf, type Transition } from '../licensing/license.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { Unavailable } from '../unavailable.ts';
import type { TransitLicense } from './changing.ts';
import type { Seller } from './seller.ts';

/** The most licenses that are changed in one call. */
export const mostInBulk = 1_000;

/** The result for one license. */
export interface BulkResult {
  /** As the caller wrote it. */
  readonly key: string;
  readonly result:
    | { readonly status: LicenseStatus; readonly expiresAt: Instant | null }
    | Refused<'invalid_key' | 'transition_not_allowed' | 'expiry_not_later' | 'not_tried'>;
}

/**
 * Makes a transition of many licenses, each on its own. Returns a result for each key, in their order; a key that is there
 * twice has one. If the database fails in between, the licenses that are left were not changed (`not_tried`).
 */
export type BulkTransit = (
  transition: Transition,
  keys: readonly string[],
  seller: Seller,
) => Promise<readonly BulkResult[]>;

/** This many are changed at the same time, so that others find a free connection to the database. */
const atOnce = 5;

export function createBulkTransit(transit: TransitLicense, clock: Clock): BulkTransit {
  async function one(key: string, transition: Transition, seller: Seller): Promise<BulkResult> {
    try {
      const license = await transit(key, { transition }, seller);
      if (isRefused(license)) return { key, result: license };
      return { key, result: { status: statusOf(license, clock.now()), expiresAt: license.expiresAt } };
    } catch (error) {
      if (error instanceof Unavailable) return notTried(key);
      throw error;
    }
  }

  return async (transition, keys, seller) => {
    const unique = [...new Set(keys)];
    const results: BulkResult[] = [];
    let isUnavailable = false;
    for (let from = 0; from < unique.length; from += atOnce) {
      const some = unique.slice(from, from + atOnce);
      const done: BulkResult[] = isUnavailable
        ? some.map(notTried)
        : await Promise.all(some.map((key) => one(key, transition, seller)));
      isUnavailable ||= done.some(({ result }) => isRefused(result) && result.reason === 'not_tried');
      results.push(...done);
    }
    return results;
  };
}

function notTried(key: string): BulkResult {
  return { key, result: refuse('not_tried', 'The license was not changed. Try again.') };
}
