import type { Recurrence } from '../marketplace/offers.ts';
import type { Instant } from '../ports/clock.ts';
import { day } from '../time.ts';
import { monthsAfter } from './ends.ts';
import type { License } from './license.ts';

type Ends = Pick<License, 'expiresAt' | 'updatesUntil'>;

/** What a later payment of a subscription gives. */
export interface Cycle extends Recurrence {
  /** The time that it pays, if its provider says so. Without it, the time goes on where the paid time ended. */
  readonly span?: { readonly from: Instant; readonly to: Instant } | undefined;
  /** The subscription was cancelled when it was paid. Then the license had no grace. */
  readonly isCancelled?: true | undefined;
  /** Only if the buyer has chosen other terms than the subscription began with. */
  readonly terms?: (Pick<License, 'maxDomains' | 'entitlements'> & { readonly offer: string | null }) | undefined;
}

/** A subscription with the payments that count. The ends are those that its seller has set by hand: the license has no earlier ones. */
export interface Running extends Partial<Ends> {
  /** The cause of the period that began it. */
  readonly cause: string;
  /** The paid time ends so many months after this time. So one that began on the 31st ends on the last day of each month. */
  readonly anchor: Instant;
  readonly months: number;
  readonly paidTo: Instant;
  readonly graceDays: number;
  /** The months that were paid in all. */
  readonly paidMonths: number;
  readonly perpetualAfter: number | null;
  readonly isCancelled: boolean;
}

/** Returns a subscription after its first payment. That of a void one has paid no time. */
export function begun(cause: string, recurs: Recurrence, at: Instant, isVoid: boolean): Running {
  const { months, graceDays, perpetualAfter } = recurs;
  const paid = isVoid ? { months: 0, paidTo: at } : { months, paidTo: monthsAfter(months, at) };
  return { cause, anchor: at, ...paid, graceDays, paidMonths: paid.months, perpetualAfter, isCancelled: false };
}

/**
 * Returns a subscription after a later payment, and the time that it pays. One that is late within the grace loses nothing and
 * gains nothing: its time begins where the paid time ended. After that, it begins with the payment.
 */
export function withCycle(
  before: Running,
  { months, graceDays, perpetualAfter, span, isCancelled }: Cycle,
  at: Instant,
): { readonly running: Running; readonly from: Instant; readonly to: Instant } {
  const isInTime = at <= before.paidTo + graceOf({ ...before, isCancelled: isCancelled ?? false });
  const own = isInTime
    ? { anchor: before.anchor, months: before.months + months, from: before.paidTo }
    : { anchor: at, months, from: at };
  const { from, to } = span ?? { from: own.from, to: monthsAfter(own.months, own.anchor) };
  const paidMonths = before.paidMonths + months;
  const paidTo = Math.max(before.paidTo, to);
  const { anchor, months: since } = own;
  return { running: { ...before, anchor, months: since, paidTo, graceDays, paidMonths, perpetualAfter }, from, to };
}

function graceOf({ graceDays, isCancelled }: Pick<Running, 'graceDays' | 'isCancelled'>): number {
  return isCancelled ? 0 : graceDays * day;
}

/** Returns the ends of a license that is subscribed. Updates have no grace. */
export function endsWhileRunning(running: Running): Ends {
  const { paidTo, expiresAt: end, updatesUntil: updates } = running;
  return {
    expiresAt: isForEver(running) ? null : later(end, paidTo + graceOf(running)),
    updatesUntil: later(updates, paidTo),
  };
}

/** Whether so many months are paid that the license never expires. */
export function isForEver({ paidMonths, perpetualAfter, expiresAt }: Running): boolean {
  return expiresAt === null || (perpetualAfter !== null && paidMonths >= perpetualAfter);
}

/** Returns the end of the license without the grace. An end that was set by hand has none. */
export function paidEndOf(running: Running, expiresAt: Instant): Instant {
  return expiresAt === running.paidTo + graceOf(running) ? running.paidTo : expiresAt;
}

function later(byHand: Instant | null | undefined, paid: Instant): Instant | null {
  return byHand === undefined ? paid : byHand === null ? null : Math.max(byHand, paid);
}
