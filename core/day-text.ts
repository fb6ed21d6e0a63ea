import { iso } from './iso.ts';
import type { Instant } from './ports/clock.ts';
import { day } from './time.ts';

/** Returns the first moment of a day such as `2027-01-31` in UTC, or `undefined` if the text is no day. */
export function startOfDay(text: string): Instant | undefined {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // `Date.parse` takes 30 February for 2 March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) ? at : undefined;
}

/** Returns the day of a time in UTC, such as `2027-01-31`. */
export function dayOf(at: Instant): string {
  return iso(at).slice(0, 10);
}

/** Returns the last millisecond of a day in UTC. What ends on a day ends then. */
export function endOfDay(text: string): Instant | undefined {
  const start = startOfDay(text);
  return start === undefined ? undefined : start + day - 1;
}
