import type { Instant } from '../../core/ports/clock.ts';

/** The counter of one rate limit window. */
export interface Counter {
  readonly id: string;
  readonly used: number;
  readonly resetAt: Instant;
}

/** Stores the counters of long windows, so that they survive a restart. */
export interface CounterArchive {
  /** Returns the counters whose window has not ended. */
  load(now: Instant): Promise<Counter[]>;
  /**
   * Adds or replaces these counters, and deletes those whose window has ended. Works in small steps, so that other
   * writers do not wait long. A failed call may have saved some of the counters.
   */
  save(counters: readonly Counter[], now: Instant): Promise<void>;
}
