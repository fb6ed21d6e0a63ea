import type { Instant } from '../core/ports/clock.ts';

/** A window in which calls were counted. */
export interface Counter {
  readonly id: string;
  readonly used: number;
  readonly resetAt: Instant;
}

/** Keeps long windows over a restart. */
export interface CounterArchive {
  /** Those that are not over yet. */
  load(now: Instant): Promise<Counter[]>;
  /**
   * Writes these over what there is of them, and forgets those that are over. It does so in small steps, between which other
   * writers get their turn. So a save that fails may have written some of them.
   */
  save(counters: readonly Counter[], now: Instant): Promise<void>;
}
