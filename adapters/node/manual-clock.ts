import type { Clock, Instant } from '../../core/ports/clock.ts';

/** A clock that stands still until it is told otherwise. */
export interface ManualClock extends Clock {
  set(instant: Instant): void;
  /** By so many milliseconds. */
  advance(milliseconds: number): void;
}

export function createManualClock(start: Instant): ManualClock {
  let instant = start;
  return {
    now: () => instant,
    set: (to) => {
      instant = to;
    },
    advance: (milliseconds) => {
      instant += milliseconds;
    },
  };
}
