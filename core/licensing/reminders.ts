import type { Instant } from '../ports/clock.ts';
import type { SubscriptionFacts } from '../ports/subscriptions.ts';
import { day, minute } from '../time.ts';
import type { License } from './license.ts';

/** How many days before its end a license reminds of it. The earliest reminder comes first. */
export const reminderDays = [7, 1] as const;
export type ReminderDays = (typeof reminderDays)[number];

/**
 * The days of the mails to buyers. They are also told that a license has ended; webhooks have `license.expired` for that. Three
 * days before the end, only those are told whose subscription waits for a payment.
 */
export const noticeDays = [7, 3, 1, 0] as const;
export type NoticeDays = (typeof noticeDays)[number];

/**
 * Reminders are due this much early, in milliseconds. A license that is given seven days now is then past the reminder of
 * seven days: nobody who just got a trial is told that it ends. It must be longer than the job stays behind, see
 * `ExpiryReminders`.
 */
const ahead = 15 * minute;

/** The end itself is due this much late, in milliseconds: a renewal that was decided before it may be committed after it. */
const behind = minute;

/**
 * The ends for which a reminder of these days is due: all up to this one. Each end is looked at once, when it becomes due.
 * So an end that is set nearer than this gets no reminder of these days, but still one of fewer days.
 */
export function endsDue(days: NoticeDays, now: Instant): Instant {
  return days === 0 ? now - behind : now + days * day + ahead;
}

/**
 * Whether a license whose end became due reminds of it. One that was issued for these days or less does not. If no server
 * was running in time, the reminder comes late, but not when the next one is due too, and not after the end. That it has
 * ended is true however late it comes.
 */
export function remindsOfEnd(
  { standing, expiresAt, createdAt }: Pick<License, 'standing' | 'expiresAt' | 'createdAt'>,
  days: NoticeDays,
  now: Instant,
): boolean {
  if (standing !== 'active' || expiresAt === null || expiresAt > endsDue(days, now)) return false;
  return isInTime(expiresAt, days, now) && expiresAt - createdAt > days * day;
}

function isInTime(expiresAt: Instant, days: NoticeDays, now: Instant): boolean {
  switch (days) {
    case 7:
    case 3:
      return expiresAt > endsDue(1, now);
    case 1:
      return expiresAt > now;
    case 0:
      return true;
  }
}

/** Whether webhooks are told, too. */
export function isReminder(days: NoticeDays): days is ReminderDays {
  return reminderDays.some((one) => one === days);
}

/**
 * Whether the subscription that pays for a license changes that. One that goes on moves the end by itself, so nobody is
 * reminded of it. `undefined`: there is no subscription.
 */
export function isToldOf(
  subscription: Pick<SubscriptionFacts, 'status' | 'isCancelled'> | undefined,
  days: NoticeDays,
) {
  const isUnpaid = subscription?.status === 'past_due' && !subscription.isCancelled;
  if (days === 3) return isUnpaid;
  return subscription?.status !== 'active' || subscription.isCancelled;
}

/** The days until the end, for people. */
export function daysLeft(expiresAt: Instant, now: Instant): number {
  return Math.max(1, Math.round((expiresAt - now) / day));
}
