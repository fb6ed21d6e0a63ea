import { type By, type EventType, event } from '../events/event.ts';
import type { Instant } from '../ports/clock.ts';
import type { LicenseChange } from '../ports/license-store.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { type License, type PlainTransition, renew, statusOf, type Transition, transit } from './license.ts';

/** A transition of a license. A renewal has the new expiry: `null` means perpetual. */
export type Act =
  | { readonly transition: PlainTransition }
  | { readonly transition: 'renew'; readonly expiresAt: Instant | null };

/** The most characters of the reason for a change of a license, as sellers give it. */
export const longestReason = 500;

const eventOf = {
  suspend: 'license.suspended',
  reinstate: 'license.reinstated',
  revoke: 'license.revoked',
  renew: 'license.renewed',
} as const satisfies Record<Transition, EventType>;

/** Decides a transition of a license, with the event that records it. */
export function decideTransition(
  before: License,
  act: Act,
  by: By,
  now: Instant,
): LicenseChange | Refused<'transition_not_allowed' | 'expiry_not_later'> {
  const license = act.transition === 'renew' ? renew(before, act.expiresAt, now) : transit(before, act.transition, now);
  if (isRefused(license)) return license;
  const data = { status: statusOf(license, now), expires_at: license.expiresAt };
  // Its payment still stops the license. So no event says that it works again, or that it has stopped.
  if (license.ownStanding !== before.ownStanding && license.standing === before.standing) {
    const changed = { ...data, without_payment: license.ownStanding };
    return { license, event: event('license.changed', license.key, by, now, changed) };
  }
  return { license, event: event(eventOf[act.transition], license.key, by, now, data) };
}
