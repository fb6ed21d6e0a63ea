import { z } from 'zod';
import { endOfDay, startOfDay } from '../core/day-text.ts';
import type { Instant } from '../core/ports/clock.ts';
import { day } from '../core/time.ts';

const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** ISO 8601. It refuses days that do not exist. */
const dateTime = z.iso.datetime({ offset: true, local: true });

const spans = {
  d: (now: Instant, count: number) => now + count * day,
  w: (now: Instant, count: number) => now + count * 7 * day,
  y: addYears,
} as const satisfies Record<string, (now: Instant, count: number) => Instant>;

/**
 * Parses an ISO date (the end of that day) or date and time, in UTC if it has no offset; or days (`30d`), weeks (`4w`)
 * or calendar years (`1y`) from `now` on. Returns `null` for `never`, and `undefined` for any other text.
 */
export function parseExpiry(text: string, now: Instant): Instant | null | undefined {
  const wanted = text.trim();
  if (wanted === 'never') return null;
  const [, count = '', unit = ''] = /^(\d{1,7})([dwy])$/.exec(wanted) ?? [];
  const instant = isUnit(unit) ? spans[unit](now, Number(count)) : (endOfDay(wanted) ?? parseMoment(wanted));
  return instant !== undefined && instant <= lastInstant ? instant : undefined;
}

/** Parses an ISO date (its first moment) or date and time, in UTC if it has no offset. */
export function parseMoment(text: string): Instant | undefined {
  const start = startOfDay(text);
  if (start !== undefined) return start;
  if (!dateTime.safeParse(text).success) return undefined;
  return Date.parse(/(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`);
}

function isUnit(text: string): text is keyof typeof spans {
  return text in spans;
}

/** Returns the same day and time `count` years later. 29 February becomes the 28th in other years. */
function addYears(now: Instant, count: number): Instant {
  const later = new Date(now);
  later.setUTCFullYear(later.getUTCFullYear() + count);
  if (later.getUTCDate() !== new Date(now).getUTCDate()) later.setUTCDate(0);
  return Number.isNaN(later.getTime()) ? Number.POSITIVE_INFINITY : later.getTime();
}
