import type { Instant } from './clock.ts';

/** At most `limit` calls in each window of `seconds`; a window starts with its first counted call. */
export interface Allowance {
  readonly limit: number;
  readonly seconds: number;
}

/** How one window stands after a call. */
export interface WindowState extends Allowance {
  readonly remaining: number;
  readonly resetAt: Instant;
}

/** Counts calls against fixed windows. */
export interface RateLimiter {
  /**
   * Counts one call of `subject` in all windows, or in none where any of them is used up (or with `peek`). Concurrent calls
   * are counted one by one: exactly the allowance passes. The states come in the order of the allowances.
   */
  count(
    subject: string,
    allowances: readonly Allowance[],
    options?: { readonly peek?: boolean },
  ): Promise<{ readonly allowed: boolean; readonly windows: readonly WindowState[] }>;
}
