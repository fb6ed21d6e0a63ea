import type { Duration } from '../marketplace/product-terms.ts';
import type { Instant } from '../ports/clock.ts';
import { day } from '../time.ts';
import type { License } from './license.ts';

/** The two ends of a license: until when it may run, and up to which release it may fetch. `null` means for ever. */
export interface Ends extends Pick<License, 'expiresAt' | 'daysFromActivation' | 'updatesUntil'> {}

/** How long a license gets updates: these months, or with `null` as long as it may run. */
interface Updates {
  readonly months: number | null;
}

/**
 * Computes both ends of a license that is issued now. Without `updates`, it gets updates for ever. If its days begin with
 * its first activation and its updates end with it, they end as if it were activated now: `endingAt` moves them then.
 */
export function endsOf(duration: Duration, updates: Updates | undefined, now: Instant): Ends {
  const end = duration === null ? null : expiryAfter(duration.days, now);
  const updatesUntil = updates === undefined ? null : updates.months === null ? end : monthsAfter(updates.months, now);
  return duration?.from === 'first_activation'
    ? { expiresAt: null, daysFromActivation: duration.days, updatesUntil }
    : { expiresAt: end, daysFromActivation: null, updatesUntil };
}

/** Returns the license with another expiry. If its updates ended together with it, they still do. */
export function endingAt<T extends Ends & Pick<License, 'createdAt'>>(license: T, expiresAt: Instant | null): T {
  const { daysFromActivation: days, createdAt, updatesUntil } = license;
  const end = days === null ? license.expiresAt : expiryAfter(days, createdAt);
  const endTogether = updatesUntil !== null && updatesUntil === end;
  return { ...license, expiresAt, daysFromActivation: null, updatesUntil: endTogether ? expiresAt : updatesUntil };
}

/** Returns the license after its days have started, if they start with its first activation. */
export function started<T extends Ends & Pick<License, 'createdAt'>>(license: T, now: Instant): T {
  const { daysFromActivation: days } = license;
  return days === null ? license : endingAt(license, expiryAfter(days, now));
}

/** Whether a license may fetch a release of this time. */
export function mayFetch({ updatesUntil }: Pick<License, 'updatesUntil'>, releasedAt: Instant): boolean {
  return updatesUntil === null || releasedAt <= updatesUntil;
}

/** Returns the expiry of a license that starts now. */
export function expiryAfter(days: number, now: Instant): Instant {
  return now + days * day;
}

/** Returns the same day and time this many calendar months later in UTC, or the last day of a month that is shorter. */
export function monthsAfter(months: number, now: Instant): Instant {
  const later = new Date(now);
  later.setUTCMonth(later.getUTCMonth() + months);
  if (later.getUTCDate() !== new Date(now).getUTCDate()) later.setUTCDate(0);
  return later.getTime();
}
