import type { Clock, Instant } from '../../core/ports/clock.ts';

/** A clock that only changes when `set` or `advance` is called. */
export interface ManualClock extends Clock {
  set(instant: Instant): void;
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
