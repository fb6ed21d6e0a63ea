import type { Abort } from '../abort.ts';
import { accountOf } from '../accounts/role.ts';
import { type LicenseStatus, statusOf, type Transition } from '../licensing/license.ts';
import { parseLicenseKey } from '../licensing/license-key.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { LicenseStore } from '../ports/license-store.ts';
import type { LongWork } from '../ports/long-work.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { decidingAct } from './changing.ts';
import { unknownLicense } from './find-license.ts';
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
 * twice has one. If the database fails in between, the licenses that are left were not changed (`not_tried`). The work of
 * one account is done one call after the other. If `stop` aborts before its turn, nothing is changed.
 */
export type BulkTransit = (
  transition: Transition,
  keys: readonly string[],
  seller: Seller,
  stop?: Abort,
) => Promise<readonly BulkResult[]>;

export function createBulkTransit(
  store: Pick<LicenseStore, 'changeEach'>,
  clock: Clock,
  longWork: LongWork,
): BulkTransit {
  return async (transition, keys, seller, stop) => {
    const unique = [...new Set(keys)];
    const parsed = new Map(unique.map((key) => [key, parseLicenseKey(key)]));
    const known = [...new Set(parsed.values())].flatMap((key) => key ?? []);
    const act = decidingAct({ transition }, seller, clock);
    const changes = await longWork(accountOf(seller.actor), () => store.changeEach(known, act), stop);
    const changed = new Map(known.map((key, index) => [key, changes[index]]));
    return unique.map((text) => {
      const key = parsed.get(text);
      const change = key === undefined ? unknownLicense() : changed.get(key);
      if (change === undefined) return { key: text, result: refuse('not_tried', notTried) };
      if (isRefused(change)) return { key: text, result: change };
      const { license } = change;
      return { key: text, result: { status: statusOf(license, clock.now()), expiresAt: license.expiresAt } };
    });
  };
}

const notTried = 'The license was not changed. Try again.';
