import { type By, type Event, type EventType, event } from '../events/event.ts';
import { type License, statusOf, type Withheld, withhold } from '../licensing/license.ts';
import { eventOfNew } from '../licensing/license-events.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import { noNotes } from '../licensing/license-notes.ts';
import {
  type Gives,
  grantIn,
  type Period,
  type PeriodStanding,
  startPeriod,
  withPeriod,
} from '../licensing/periods.ts';
import { termsAtIssue } from '../licensing/terms.ts';
import type { Instant } from '../ports/clock.ts';
import type { HeldLicense, OrderChange } from '../ports/order-store.ts';
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
  held: HeldLicense | undefined,
  learned: Learned,
  { by, now, newKey }: Telling,
): Pick<OrderChange, 'after' | 'events' | 'license'> {
  const known = withLearned(before, learned);
  if (known === undefined) return { after: before, events: [] };
  const isFirst = !wasPaid(before) && wasPaid(known);
  const isNew = isFirst && known.renews === null;
  const after: Order = {
    ...known,
    updatedAt: now,
    ...(isFirst && { paidAt: now }),
    ...(isNew && { licenseKey: newKey }),
  };
  const events = typesOf(before, after, isFirst).map((type) => eventOf(type, after, by, now));
  if (isNew) return withNewLicense(after, events, { by, now, newKey });
  if (!wasPaid(after) || held === undefined) return { after, events };
  const hasPeriods = after.renews !== null || held.periods.length > 0;
  const changed = hasPeriods ? changedByPeriod(after, held) : { license: withhold(held.license, withheldBy(after)) };
  return withChanges(after, events, held.license, changed, isFirst, { by, now });
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

/** Tells what changed of the license. */
function withChanges(
  after: Order,
  events: readonly Event[],
  before: License,
  { license: changed, periods }: Changed,
  isFirst: boolean,
  { by, now }: Pick<Telling, 'by' | 'now'>,
) {
  const license = { changed, ...(periods && { periods }) };
  const { key, standing, expiresAt: expires_at } = changed;
  const told: Event[] = [];
  if (isFirst || !isSame(grantIn(changed), grantIn(before))) {
    const [type, reason] = isFirst
      ? (['license.renewed', `Order ${after.id} was paid.`] as const)
      : (['license.changed', `The payment of order ${after.id} changed.`] as const);
    const ends = { expires_at, updates_until: changed.updatesUntil };
    const data = { status: statusOf(changed, now), ...ends, max_domains: changed.maxDomains };
    told.push(event(type, key, { actor: by.actor, reason }, now, data));
  }
  if (standing !== before.standing) {
    const why = { actor: by.actor, reason: reasons[effectOf(after)] };
    told.push(event(eventOfStanding[standing], key, why, now, { status: standing, expires_at }));
  }
  if (told.length === 0 && periods === undefined && changed.ownStanding === before.ownStanding)
    return { after, events };
  return { after, events: [...events, ...told], license };
}

interface Changed {
  readonly license: License;
  readonly periods?: readonly Period[];
}

/** Computes a license that was renewed or upgraded once. */
function changedByPeriod(after: Order, { license, periods, origin }: HeldLicense): Changed {
  const before = periods.length > 0 ? periods : [startPeriod(license, origin && startFactsOf(origin))];
  const builtOn = after.agreed.offer?.builtOn ?? [];
  const known = before.find(({ cause }) => cause === causeOf(after));
  if (known === undefined && after.renews === null) {
    throw new Error(`The periods of the license of order ${after.id} lack its start.`);
  }
  return withPeriod(license, before, {
    cause: causeOf(after),
    // What was taken off the price was unused when the order was made. So the time of an upgrade begins then.
    at: known?.at ?? (builtOn.length > 0 ? after.createdAt : (after.paidAt ?? after.createdAt)),
    standing: standingOf(after),
    gives: known?.gives ?? givenBy(after.agreed),
    worth: worthOf(after),
    builtOn,
  });
}

/** What the order of a license says of its start. */
export function startFactsOf(order: Order): Pick<Period, 'cause' | 'standing' | 'worth'> {
  return { cause: causeOf(order), standing: standingOf(order), worth: worthOf(order) };
}

/** The cause of the period that an order pays. */
function causeOf({ id }: Pick<Order, 'id'>): string {
  return `order:${id}`;
}

/** Returns what an order gives to the license that it renews or upgrades. */
function givenBy({ terms: { maxDomains, duration }, offer }: Order['agreed']): Gives {
  const time = { days: duration?.days ?? null, months: offer?.updatesMonths ?? null };
  if (offer?.kind === 'renewal') return { kind: 'renewal', ...time, ...(offer.of !== undefined && { of: offer.of }) };
  return { kind: 'upgrade', offer: offer?.slug ?? null, ...time, maxDomains, entitlements: offer?.entitlements ?? [] };
}

const standingOfEffect = {
  none: 'paid',
  works: 'paid',
  suspended: 'stopped',
  revoked: 'void',
} as const satisfies Record<LicenseEffect, PeriodStanding>;

function standingOf(order: Order): PeriodStanding {
  return standingOfEffect[effectOf(order)];
}

/** What was paid for the license with an order, and what was taken off its price, without refunds. */
function worthOf({ agreed: { price, currency, offer }, payment }: Pick<Order, 'agreed' | 'payment'>): number {
  // An administrator can have accepted less.
  const paid = payment.currency === currency ? Math.min(price, payment.subtotal) : price;
  return Math.max(0, paid + (offer?.credit ?? 0) - payment.refunded);
}
