import type { Instant } from './ports/clock.ts';

/** A point in time as ISO 8601 writes it, in UTC with milliseconds. */
export function iso(instant: Instant): string {
  return new Date(instant).toISOString();
}
