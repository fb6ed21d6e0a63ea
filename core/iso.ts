import type { Instant } from './ports/clock.ts';

/** Formats a point in time as ISO 8601, in UTC with milliseconds. */
export function iso(instant: Instant): string {
  return new Date(instant).toISOString();
}
