import { type By, type Event, type EventType, event } from '../events/event.ts';
import { type License, statusOf, type Withheld, withhold } from '../licensing/license.ts';
import { eventOfNew } from '../licensing/license-events.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import { noNotes } from '../licensing/license-notes.ts';
import {
  type Gives,
  grantIn,
  isCancelledIn,
  type Period,
  type PeriodStanding,
  paidToOf,
  startPeriod,
  withPeriod,
} from '../licensing/periods.ts';
import { begun, endsWhileRunning } from '../licensing/recurring.ts';
import { termsAtIssue } from '../licensing/terms.ts';
import type { Instant } from '../ports/clock.ts';
import type { HeldLicense, OrderChange } from '../ports/order-store.ts';
import { isSame } from '../same.ts';
import {
  effectOf,
  isBundle,
  isTakenBack,
  type LicenseEffect,
  type Order,
  orderTable,
  type PayerField,
  stateOf,
  wasPaid,
} from './order.ts';
import { eventsOf } from './order-events.ts';
import { mainOrderOf, paymentsOfParts } from './parts.ts';
import { isSubscribed, newSubscription, recursIn, type Subscription } from './subscription.ts';
import { worthOf } from './worth.ts';

/** The new facts of an order. */
export type Learned = Partial<Pick<Order, 'payment' | 'isAccepted' | 'intentId' | 'paymentId' | PayerField>> & {
  /** The facts of the subscription that the order began. They count only once it was paid. */
  readonly subscription?: Partial<Subscription>;
};

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
  const begins = (order: Order) => orderTable[order.state].license !== 'none' && !isBundle(order);
  const isNew = begins(known) && !begins(before) && known.licenseKey === null && known.renews === null;
  const paid: Order = {
    ...known,
    updatedAt: now,
    ...(isFirst && { paidAt: now }),
    ...(isNew && { licenseKey: newKey }),
  };
  const begun = isFirst && isSubscribed(paid) ? newSubscription(learned.subscription, now) : undefined;
  const after = { ...paid, subscription: withEnd(begun ?? paid.subscription, now) };
  if (isNew) return withNewLicense(before, after, isFirst, { by, now, newKey });
  // A license that the order renews changes when it is paid. Its own one was issued when its payment was soft.
  const hasLicense = held !== undefined && (wasPaid(after) || after.licenseKey !== null);
  const changed = hasLicense ? changedByOrder(after, held) : undefined;
  const stored = withPaidTo(after, changed?.periods ?? held?.periods);
  const events = eventsOf(before, stored, isFirst, by, now);
  if (!hasLicense || changed === undefined) return { after: stored, events };
  return withChanges(stored, events, held.license, changed, isFirst && after.renews !== null, { by, now });
}

/** What a part of a bundle learns from its order: the payment, and who has it. */
function learnedByPart(order: Order, part: Order): Learned {
  const index = order.agreed.bundle?.findIndex(({ productId }) => productId === part.productId) ?? -1;
  const payment = paymentsOfParts(order)[index];
  if (payment === undefined) throw new Error(`Order ${order.id} has no part with the product ${part.productId}.`);
  return { payment, isAccepted: order.isAccepted, buyer: order.buyer, billing: order.billing };
}

/** Decides what follows for the parts of an order, each with a key of its own if it gets a license. */
export function settledParts(by: By, now: Instant, newKey: () => LicenseKey): NonNullable<OrderChange['parts']> {
  return (order, part, held) => settled(part, held, learnedByPart(order, part), { by, now, newKey: newKey() });
}

/** Computes the license of an order from what is known of its payment and of its subscription. */
function changedByOrder(after: Order, held: HeldLicense): Changed {
  const hasPeriods = after.renews !== null || held.periods.length > 0;
  if (!hasPeriods) return { license: withhold(held.license, withheldBy(after)) };
  const changed = changedByPeriod(after, held);
  return changedByCancelling(after, changed) ?? changed;
}

/** Returns the order with what became known, or `undefined` if nothing follows from it. */
export function withLearned(before: Order, learned: Learned): Order | undefined {
  const { subscription: learnedOfIt, ...facts } = learned;
  const subscription = before.subscription && { ...before.subscription, ...learnedOfIt };
  const known = { ...before, ...facts, subscription, state: stateOf({ ...before, ...facts }) };
  return (wasPaid(before) && !wasPaid(known)) || isSame(known, before) ? undefined : known;
}

/** A subscription says when it ended. One that goes on again has not ended. */
function withEnd(subscription: Subscription | null, now: Instant): Subscription | null {
  return (
    subscription && { ...subscription, endedAt: subscription.status === 'ended' ? (subscription.endedAt ?? now) : null }
  );
}

function withNewLicense(before: Order, after: Order, isFirst: boolean, { by, now, newKey }: Telling) {
  const { email, name } = after.buyer;
  const { agreed } = after;
  const recurs = isSubscribed(after) ? after.agreed.offer.recurs : undefined;
  const terms = termsAtIssue(after.productId, agreed.terms, now, agreed.offer);
  const granted = { updatesUntil: null, entitlements: [], ...terms };
  const grant = recurs ? { ...granted, ...endsWhileRunning(begun(causeOf(after), recurs, now, false)) } : granted;
  const issued = {
    ...grant,
    ...withhold<Pick<License, 'standing' | 'ownStanding'>>(
      { standing: 'active', ownStanding: null },
      withheldBy(after),
    ),
    key: newKey,
    createdAt: now,
    notes: { ...noNotes, holder: { email, name }, reference: `order ${mainOrderOf(after)}` },
  } as const;
  const periods = recurs && [startPeriod(issued, startFactsOf(after), recurs)];
  const stored = withPaidTo(after, periods);
  const events = [...eventsOf(before, stored, isFirst, by, now), eventOfNew.issued(issued, by, now)];
  return { after: stored, events, license: { issued, ...(periods && { periods }) } };
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

/** Why the standing of the license has changed. */
function reasonOf(order: Order): string {
  return isTakenBack(order) ? 'The chain of its payment has moved or removed it.' : reasons[effectOf(order)];
}

/** Tells what changed of the license. `isRenewed`: the order renews it, and is paid now. */
function withChanges(
  after: Order,
  events: readonly Event[],
  before: License,
  { license: changed, periods }: Changed,
  isRenewed: boolean,
  { by, now }: Pick<Telling, 'by' | 'now'>,
) {
  const license = { changed, ...(periods && { periods }) };
  const { key, standing, expiresAt: expires_at } = changed;
  const told: Event[] = [];
  if (isRenewed || !isSame(grantIn(changed), grantIn(before))) {
    const [type, reason] = isRenewed
      ? (['license.renewed', `Order ${after.id} was paid.`] as const)
      : (['license.changed', `The payment of order ${after.id} changed.`] as const);
    const ends = { expires_at, updates_until: changed.updatesUntil };
    const data = { status: statusOf(changed, now), ...ends, max_domains: changed.maxDomains };
    told.push(event(type, key, { actor: by.actor, reason }, now, data));
  }
  if (standing !== before.standing) {
    const why = { actor: by.actor, reason: reasonOf(after) };
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

/** The subscription says until when it is paid. */
function withPaidTo(after: Order, periods: readonly Period[] | undefined): Order {
  const { subscription } = after;
  const paidTo = subscription && periods && paidToOf(periods, causeOf(after));
  return paidTo == null ? after : { ...after, subscription: { ...subscription, paidTo } as Subscription };
}

/** Computes a license whose subscription was cancelled, or goes on again. */
function changedByCancelling(after: Order, { license, periods = [] }: Changed): Changed | undefined {
  if (after.subscription === null) return undefined;
  const of = causeOf(after);
  const cause = `cancel:${after.id}`;
  const known = periods.find((one) => one.cause === cause);
  const standing = after.subscription.isCancelled ? 'paid' : 'void';
  if (standing === (known?.standing ?? 'void')) return undefined;
  const at = known?.at ?? after.updatedAt;
  return withPeriod(license, periods, { cause, at, standing, gives: { kind: 'cancel', of }, worth: 0, builtOn: [] });
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
    gives: known?.gives ?? givenBy(after, license, before),
    ...worthOf(after),
    builtOn,
  });
}

/** What the order of a license says of its start. */
export function startFactsOf(order: Order): Pick<Period, 'cause' | 'standing' | 'worth' | 'currency'> {
  return { cause: causeOf(order), standing: standingOf(order), ...worthOf(order) };
}

/** The cause of the period that an order pays. */
export function causeOf({ id }: Pick<Order, 'id'>): string {
  return `order:${id}`;
}

/** Returns what an order gives to the license that it renews or upgrades. */
function givenBy(order: Order, { domainsUsed }: License, before: readonly Period[]): Gives {
  const { terms, offer } = order.agreed;
  const { maxDomains, duration } = terms;
  const time = { days: duration?.days ?? null, months: offer?.updatesMonths ?? null };
  if (offer?.kind === 'renewal') return { kind: 'renewal', ...time, ...(offer.of !== undefined && { of: offer.of }) };
  const recurs = recursIn(order.agreed);
  const { slug = null, entitlements = [], credit = 0 } = offer ?? {};
  if (recurs && order.cycleOf !== null) {
    // Other terms at the next payment leave all domains that are in use.
    const others = { offer: slug, maxDomains: Math.max(maxDomains, domainsUsed), entitlements };
    const of = causeOf({ id: order.cycleOf });
    const { span, isChange } = offer ?? {};
    const isCancelled = isCancelledIn(before, of);
    return {
      ...{ kind: 'cycle', of, ...recurs },
      ...(span && { span }),
      ...(isChange && { terms: others }),
      ...(isCancelled && { isCancelled }),
    };
  }
  return {
    ...{ kind: 'upgrade', offer: slug, ...time, maxDomains, entitlements },
    ...(recurs && { recurs }),
    ...(credit > 0 && { credit }),
  };
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
