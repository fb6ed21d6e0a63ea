import type { UserId } from '../id.ts';
import type { Instant } from './clock.ts';

/** At most `limit` calls in each window of `seconds`; a window starts with its first counted call. */
export interface Allowance {
  readonly limit: number;
  readonly seconds: number;
}

/** The state of one window after a call. */
export interface WindowState extends Allowance {
  readonly remaining: number;
  readonly resetAt: Instant;
}

/** Counts calls against fixed windows. */
export interface RateLimiter {
  /**
   * Counts one call of `subject` in all windows. Counts it in no window if one of them is used up, or with `peek`.
   * Concurrent calls are counted one by one: exactly `limit` of them pass. The states are in the order of the
   * allowances.
   *
   * No window ends later than `seconds` from now. If the clock was set back since a window started, the window starts
   * again.
   *
   * Keeps an account's windows (`accountSubject`) until they end. It may drop other windows early to save memory,
   * because strangers can make any number of them.
   */
  count(
    subject: string,
    allowances: readonly Allowance[],
    options?: { readonly peek?: boolean },
  ): Promise<{ readonly allowed: boolean; readonly windows: readonly WindowState[] }>;
}

const accountPrefix = 'account:user:';
const addressPrefix = 'account:address:';

/** Returns the subject for an account. */
export function accountSubject(userId: UserId): string {
  return `${accountPrefix}${userId}`;
}

/** Returns the subject for calls of the account API without a valid key: the client address. */
export function addressSubject(address: string): string {
  return `${addressPrefix}${address}`;
}

export function isAccountSubject(subject: string): boolean {
  return subject.startsWith(accountPrefix);
}

export function isAddressSubject(subject: string): boolean {
  return subject.startsWith(addressPrefix);
}
