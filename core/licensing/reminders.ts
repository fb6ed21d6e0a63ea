import type { Instant } from '../ports/clock.ts';
import { day, minute } from '../time.ts';
import type { License } from './license.ts';

/** How many days before its end a license reminds of it. The earliest reminder comes first. */
export const reminderDays = [7, 1] as const;
export type ReminderDays = (typeof reminderDays)[number];

/**
 * Reminders are due this much early, in milliseconds. A license that is given seven days now is then past the reminder of
 * seven days: nobody who just got a trial is told that it ends. It must be longer than the job stays behind, see
 * `ExpiryReminders`.
 */
const ahead = 15 * minute;

/**
 * The ends for which a reminder of these days is due: all up to this one. Each end is looked at once, when it becomes due.
 * So an end that is set nearer than this gets no reminder of these days, but still one of fewer days.
 */
export function endsDue(days: ReminderDays, now: Instant): Instant {
  return now + days * day + ahead;
}

/**
 * Whether a license whose end became due reminds of it. One that was issued for these days or less does not. If no server
 * was running in time, the reminder comes late, but not when the next one is due too, and not after the end.
 */
export function remindsOfEnd(
  { standing, expiresAt, createdAt }: Pick<License, 'standing' | 'expiresAt' | 'createdAt'>,
  days: ReminderDays,
  now: Instant,
): boolean {
  if (standing !== 'active' || expiresAt === null || expiresAt > endsDue(days, now)) return false;
  const next = reminderDays.find((other) => other < days);
  const isInTime = expiresAt > (next === undefined ? now : endsDue(next, now));
  return isInTime && expiresAt - createdAt > days * day;
}

/** The days until the end, for people. */
export function daysLeft(expiresAt: Instant, now: Instant): number {
  return Math.max(1, Math.round((expiresAt - now) / day));
}
