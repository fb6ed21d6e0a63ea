import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import { day, hour } from '../time.ts';

/** The lengths of the steps of figures, in milliseconds. Hours and days are those of UTC. */
export const steps = { hour, day } as const;
export type Step = keyof typeof steps;
export const stepNames = Object.keys(steps) as [Step, ...Step[]];

/** The largest number of points in one answer: hours of 31 days, or 400 days. */
export const mostPoints = { hour: 744, day: 400 } as const satisfies Record<Step, number>;
/** The number of points if the caller names no start. */
const usualPoints = { hour: 24, day: 30 } as const satisfies Record<Step, number>;

/** Whole hours or days. `to` is not part of the range. */
export interface UsageRange {
  readonly by: Step;
  readonly from: Instant;
  readonly to: Instant;
}

/** A range as a caller asks for it. */
export interface AskedRange {
  readonly by: Step;
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
}

/** The counts of one hour or one day, and the number of active domains at its end. */
export interface UsagePoint {
  /** The start of the hour or day. */
  readonly at: Instant;
  readonly verifications: number;
  readonly activeDomains: number;
}

/** Returns the start of the hour or day that contains this time. */
export function startOf(step: Step, instant: Instant): Instant {
  return Math.floor(instant / steps[step]) * steps[step];
}

/** Returns the start of each of these days, oldest first. `from` is the start of the first one. */
export function daysFrom(from: Instant, count: number): Instant[] {
  return Array.from({ length: count }, (_, n) => from + n * steps.day);
}

/**
 * Widens a range to whole hours or days. Without `to`, it ends with the last whole hour, or with today. Without `from`,
 * it has 24 hours, or 30 days.
 */
export function rangeOf(
  { by, from, to }: AskedRange,
  now: Instant,
): UsageRange | Refused<'range_empty' | 'range_too_long'> {
  const step = steps[by];
  const usualEnd = by === 'hour' ? startOf('hour', now) : startOf('day', now) + step;
  const end = to === undefined ? usualEnd : Math.ceil(to / step) * step;
  const start = from === undefined ? end - usualPoints[by] * step : startOf(by, from);
  if (start >= end || (from !== undefined && to !== undefined && from >= to)) return refuse('range_empty');
  if (end - start > mostPoints[by] * step) return refuse('range_too_long');
  return { by, from: start, to: end };
}

/**
 * Returns one point for each hour or day of the range. `rows` are in order of time and inside the range. Without a row,
 * nothing was verified, and the domains are those of the row before. `domainsBefore` are those before the first row.
 */
export function pointsOf(
  rows: readonly UsagePoint[],
  { by, from, to }: UsageRange,
  domainsBefore: number,
): UsagePoint[] {
  const points: UsagePoint[] = [];
  let activeDomains = domainsBefore;
  let next = 0;
  for (let at = from; at < to; at += steps[by]) {
    let verifications = 0;
    for (let row = rows[next]; row !== undefined && row.at < at + steps[by]; row = rows[++next]) {
      verifications += row.verifications;
      activeDomains = row.activeDomains;
    }
    points.push({ at, verifications, activeDomains });
  }
  return points;
}

/** An hour, or the part of a day that a snapshot covers. */
export interface Share {
  /** The start of the hour or day. */
  readonly at: Instant;
  /** The number of hours that the snapshot covers: 1 for an hour, at most 24 for a day. */
  readonly hours: number;
}

/** The row of what was counted before the first snapshot. It belongs to no hour, and is in no range. */
export const beforeAll: Instant = 0;

/** A snapshot that comes late fills at most this number of hours. */
const mostHours = 744;

/** Returns the hours or days that a snapshot fills, in order of time. `from` is `undefined` for the first snapshot. */
export function sharesOf(by: Step, from: Instant | undefined, to: Instant): Share[] {
  if (from === undefined) return [{ at: beforeAll, hours: 1 }];
  const first = Math.max(from, to - mostHours * steps.hour);
  return sharesBetween(by, first, to);
}

function sharesBetween(by: Step, from: Instant, to: Instant): Share[] {
  const shares: Share[] = [];
  for (let at = startOf(by, from); at < to; at += steps[by]) {
    const hours = (Math.min(at + steps[by], to) - Math.max(at, from)) / steps.hour;
    shares.push({ at, hours });
  }
  return shares;
}

/**
 * Spreads a number evenly over hours, or over days by their numbers of hours. All numbers are whole. The last one gets the
 * remainder, so that their sum is the number.
 */
export function spread(count: number, shares: readonly Share[]): number[] {
  const hours = shares.reduce((sum, share) => sum + share.hours, 0);
  const perHour = (count - (count % hours)) / hours;
  const parts = shares.map((share) => perHour * share.hours);
  parts.push((parts.pop() ?? 0) + (count - perHour * hours));
  return parts;
}
