import { type By, type Event, event } from '../events/event.ts';
import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import { day } from '../time.ts';
import { monthsAfter } from './ends.ts';
import type { ForcedAnswer } from './forced.ts';
import type { License, TestClock } from './license.ts';
import { monthOf } from './move.ts';
import type { Gives, Grant, Period } from './periods.ts';

/** A span of time, such as that of `P1M2D`: calendar months, and then milliseconds. */
export interface Span {
  readonly months: number;
  readonly milliseconds: number;
}

/**
 * The longest that a clock can be advanced at once, and in all, in milliseconds; and the most domains of its license, because each is written.
 */
export const clockLimits = { once: 3_660 * day, inAll: 7_320 * day, domains: 100 };

/** What to do with a clock. What is absent stays as it is. */
export interface ClockWish {
  readonly advance?: Span | undefined;
  /** `null`: nothing is forced any more. */
  readonly forced?: ForcedAnswer | null | undefined;
}

/** A decided change of the clock of a license. */
export interface ClockChange {
  /** As it is after the change. */
  readonly license: License;
  /** By how many milliseconds the times of the license and of all that belongs to it move back. */
  readonly back: number;
  /** Absent if nothing changes. */
  readonly event?: Event;
}

export type ClockRefused = 'clock_not_allowed' | 'clock_too_far';

/**
 * Advances the clock of a test license, and says what the license API shall answer for it. Advancing moves the times of the license back: it becomes what it
 * would be if it had been issued so much earlier. So the clock of the server, that of the site and signed leases all agree about it.
 */
export function setClock(
  before: License,
  { advance, forced: wanted }: ClockWish,
  by: By,
  now: Instant,
): ClockChange | Refused<ClockRefused> {
  const { ahead, forced } = before.testClock ?? unset;
  const back = advance === undefined ? 0 : lengthOf(advance, now + ahead);
  const after: TestClock = { ahead: ahead + back, forced: wanted === undefined ? forced : wanted };
  if (back === 0 && after.forced === forced) return { license: before, back };
  if (before.isLive) {
    return refuse(
      'clock_not_allowed',
      'A live license has no clock to set. Issue a license of a test product for that.',
    );
  }
  if (before.domainsUsed > clockLimits.domains) {
    return refuse(
      'clock_not_allowed',
      `Only a license with at most ${clockLimits.domains} domains has a clock to set.`,
    );
  }
  // A span that is no number is too long, too.
  if (!(back <= clockLimits.once && after.ahead <= clockLimits.inAll)) {
    return refuse(
      'clock_too_far',
      `A clock can be advanced by at most ${clockLimits.once / day} days at once, and ${clockLimits.inAll / day} days in all. Issue another license instead.`,
    );
  }
  const license = { ...movedBack(before, back, now), testClock: after };
  const data = { advanced_days: back / day, ahead_days: after.ahead / day, forced: after.forced };
  return { license, back, event: event('license.clock_set', license.key, by, now, data) };
}

const unset: TestClock = { ahead: 0, forced: null };

function lengthOf({ months, milliseconds }: Span, from: Instant): number {
  return (months === 0 ? from : monthsAfter(months, from)) + milliseconds - from;
}

/** Returns the license as if it had been issued so many milliseconds earlier. `now` decides about the moves of the month. */
export function movedBack(license: License, by: number, now: Instant): License {
  const { ahead } = license.testClock ?? unset;
  const { keyRemovalAt, retired, moves } = license;
  const isOtherMonth = monthOf(now + ahead) !== monthOf(now + ahead + by);
  return {
    ...license,
    createdAt: license.createdAt - by,
    expiresAt: earlier(license.expiresAt, by),
    updatesUntil: earlier(license.updatesUntil, by),
    ...(keyRemovalAt !== undefined && { keyRemovalAt: keyRemovalAt - by }),
    retired: { ...retired, lastVerifiedAt: earlier(retired.lastVerifiedAt, by) },
    moves: isOtherMonth ? { month: null, made: 0 } : moves,
  };
}

/** Returns a part of the life of a license so many milliseconds earlier. Later months of a subscription are counted from there. */
export function periodMovedBack(period: Period, by: number): Period {
  return { ...period, at: period.at - by, gives: givesMovedBack(period.gives, by) };
}

function givesMovedBack(gives: Gives, by: number): Gives {
  switch (gives.kind) {
    case 'start':
    case 'set':
      return { ...gives, ...endsMovedBack(gives, by) };
    case 'cycle': {
      const { span } = gives;
      return span === undefined ? gives : { ...gives, span: { from: span.from - by, to: span.to - by } };
    }
    case 'renewal':
    case 'upgrade':
    case 'cancel':
      return gives;
  }
}

function endsMovedBack({ expiresAt, updatesUntil }: Partial<Grant>, by: number) {
  return {
    ...(expiresAt !== undefined && { expiresAt: earlier(expiresAt, by) }),
    ...(updatesUntil !== undefined && { updatesUntil: earlier(updatesUntil, by) }),
  };
}

function earlier(at: Instant | null, by: number): Instant | null {
  return at === null ? null : at - by;
}
