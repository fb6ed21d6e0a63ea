import { type By, type Event, type EventType, event } from '../events/event.ts';
import { type License, type Withheld, withhold } from '../licensing/license.ts';
import { eventOfNew } from '../licensing/license-events.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import { noNotes } from '../licensing/license-notes.ts';
import { termsAtIssue } from '../licensing/terms.ts';
import type { Instant } from '../ports/clock.ts';
import type { OrderChange } from '../ports/order-store.ts';
import { isSame } from '../same.ts';
import { effectOf, type LicenseEffect, type Order, orderTable, stateOf } from './order.ts';

/** The new facts of an order. */
export type Learned = Partial<Pick<Order, 'payment' | 'isAccepted' | 'intentId' | 'paymentId' | 'buyer'>>;

/** Who reported the facts, and when. `newKey` is the key of the license, if one is issued. */
interface Telling {
  readonly by: By;
  readonly now: Instant;
  readonly newKey: LicenseKey;
}

/**
 * Decides what follows for an order and its license when something becomes known of its payment. The same knowledge
 * again changes nothing. An order that was paid never becomes unpaid.
 */
export function settled(
  before: Order,
  license: License | undefined,
  learned: Learned,
  { by, now, newKey }: Telling,
): Pick<OrderChange, 'after' | 'events' | 'license'> {
  const known = withLearned(before, learned);
  if (known === undefined) return { after: before, events: [] };
  const isFirst = !wasPaid(before) && wasPaid(known);
  const after: Order = { ...known, updatedAt: now, ...(isFirst && { paidAt: now, licenseKey: newKey }) };
  const events = typesOf(before, after, isFirst).map((type) => eventOf(type, after, by, now));
  if (isFirst) return withNewLicense(after, events, { by, now, newKey });
  return license ? withLicense(after, events, license, { by, now }) : { after, events };
}

/** Returns the order with what became known, or `undefined` if nothing follows from it. */
export function withLearned(before: Order, learned: Learned): Order | undefined {
  const known = { ...before, ...learned, state: stateOf({ ...before, ...learned }) };
  const isTakenBack = wasPaid(before) && !wasPaid(known);
  return isTakenBack || isSame(known, before) ? undefined : known;
}

function wasPaid({ state }: Order): boolean {
  return orderTable[state].stage === 'paid';
}

function eventOf(type: EventType, { id, state, payment, agreed }: Order, by: By, now: Instant): Event {
  const { currency, total, refunded, dispute } = payment;
  return event(type, String(id), by, now, { product: agreed.slug, state, total, refunded, currency, dispute });
}

/** Several things can have happened since the last look. */
function typesOf(before: Order, after: Order, isFirst: boolean): EventType[] {
  const types: EventType[] = [];
  const isPaid = wasPaid(after);
  if (after.isAccepted && !before.isAccepted) types.push('order.accepted');
  if (isFirst) types.push('order.paid');
  if (isPaid && after.payment.refunded !== before.payment.refunded) types.push('order.refunded');
  if (isPaid && after.payment.dispute !== before.payment.dispute) types.push('order.disputed');
  return types.length > 0 ? types : ['order.changed'];
}

function withNewLicense(after: Order, events: readonly Event[], { by, now, newKey }: Telling) {
  const { email, name } = after.buyer;
  const issued = {
    ...termsAtIssue(after.productId, after.agreed.terms, now, after.agreed.offer),
    ...withhold<Pick<License, 'standing' | 'ownStanding'>>(
      { standing: 'active', ownStanding: null },
      withheldBy(after),
    ),
    key: newKey,
    createdAt: now,
    notes: { ...noNotes, holder: { email, name }, reference: `order ${after.id}` },
  } as const;
  return { after, events: [...events, eventOfNew.issued(issued, by, now)], license: { issued } };
}

/** Returns what the payment of an order does to its license. `null`: the license works. */
function withheldBy(order: Order): Withheld | null {
  const effect = effectOf(order);
  return effect === 'suspended' || effect === 'revoked' ? effect : null;
}

const reasons = {
  none: '',
  works: 'The payment of its order is complete again.',
  suspended: 'The payment of its order is disputed, or being refunded.',
  revoked: 'The payment of its order was refunded, or taken back.',
} as const satisfies Record<LicenseEffect, string>;

const eventOfStanding = {
  active: 'license.reinstated',
  suspended: 'license.suspended',
  revoked: 'license.revoked',
} as const satisfies Record<License['standing'], EventType>;

function withLicense(
  after: Order,
  events: readonly Event[],
  license: License,
  { by, now }: Pick<Telling, 'by' | 'now'>,
) {
  const changed = withhold(license, withheldBy(after));
  if (changed.standing === license.standing && changed.ownStanding === license.ownStanding) return { after, events };
  if (changed.standing === license.standing) return { after, events, license: { changed } };
  const why = { actor: by.actor, reason: reasons[effectOf(after)] };
  const data = { status: changed.standing, expires_at: changed.expiresAt };
  const told = event(eventOfStanding[changed.standing], license.key, why, now, data);
  return { after, events: [...events, told], license: { changed } };
}
