import { iso } from '../iso.ts';
import type { Instant } from '../ports/clock.ts';
import type { Day } from '../ports/usage-log.ts';
import { day } from '../time.ts';

/** Returns the day of this time, in UTC. */
export function dayAt(instant: Instant): Day {
  return iso(instant).slice(0, 'yyyy-mm-dd'.length) as Day;
}

/** Returns this many days, oldest first. The last one is the day of `now`. */
export function lastDays(count: number, now: Instant): Day[] {
  return Array.from({ length: count }, (_, n) => dayAt(now - (count - 1 - n) * day));
}
