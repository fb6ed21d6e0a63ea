import type { Clock, Instant } from '../ports/clock.ts';
import { accountSubject, type RateLimiter, type WindowState } from '../ports/rate-limiter.ts';
import type { DayUse, UsageLog } from '../ports/usage-log.ts';
import { day } from '../time.ts';
import { dayAt, lastDays } from './day.ts';
import { plans } from './tier.ts';
import type { User } from './user.ts';

/** The calls in one window of the rate limits. */
export interface Meter {
  readonly used: number;
  readonly limit: number;
  /** When the window ends. If `used` is 0, no window has started: one that starts now would end then. */
  readonly resetAt: Instant;
}

/** The calls of an account. */
export interface Usage {
  /** `undefined` if the server limits nothing. */
  readonly minute: Meter | undefined;
  /** The window of a day starts with its first call, and not at midnight. `undefined` if the server limits nothing. */
  readonly day: Meter | undefined;
  /** The last 30 days in UTC, oldest first, also those without calls. The calls of the last seconds may be missing. */
  readonly days: readonly DayUse[];
}

/** How much account holders call the account API. */
export interface AccountUsage {
  /** The caller has checked that the actor may see this. Counts no call. */
  usageOf(user: Pick<User, 'id' | 'tier'>): Promise<Usage>;
}

/** The number of days that people see. */
const daysShown = 30;
/** Counts are deleted after this number of days. */
const daysKept = 400;

interface AccountUsagePorts {
  readonly limiter: Pick<RateLimiter, 'count'> | undefined;
  readonly log: UsageLog;
  readonly clock: Clock;
}

/** Without `limiter`, nothing is limited. */
export function createAccountUsage({ limiter, log, clock }: AccountUsagePorts): AccountUsage {
  async function meters({ id, tier }: Pick<User, 'id' | 'tier'>): Promise<(Meter | undefined)[]> {
    const counted = await limiter?.count(accountSubject(id), plans[tier].allowances, { peek: true });
    return counted?.windows.map(meterOf) ?? [];
  }

  return {
    async usageOf(user) {
      const days = lastDays(daysShown, clock.now());
      const [first = dayAt(clock.now())] = days;
      const [[minute, day], stored] = await Promise.all([meters(user), log.days(user.id, first)]);
      const byDay = new Map(stored.map((use) => [use.day, use]));
      return { minute, day, days: days.map((one) => byDay.get(one) ?? { day: one, calls: 0, refused: 0 }) };
    },
  };
}

/** Deletes the counts of days that nobody asks for any more. Returns the number of deleted rows. */
export function forgetOldUsage(log: Pick<UsageLog, 'forget'>, clock: Clock): Promise<number> {
  return log.forget(dayAt(clock.now() - daysKept * day));
}

function meterOf({ limit, remaining, resetAt }: WindowState): Meter {
  return { used: limit - remaining, limit, resetAt };
}
