import { type By, type Event, type EventType, event } from '../events/event.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { Instant } from '../ports/clock.ts';
import type { SubscriptionFacts, SubscriptionStatus } from '../ports/subscriptions.ts';
import { isSame } from '../same.ts';
import { day } from '../time.ts';
import type { Discount } from './coupon.ts';
import type { Agreed, AgreedOffer, Order } from './order.ts';
import { isOutside, licenseOf } from './order.ts';

/** A license that is paid again for each period. Its first order has it. */
export interface Subscription extends SubscriptionFacts {
  /** The provider's id, unique for the provider. `null` if this service asks for the payments itself. */
  readonly id: string | null;
  /** When the time ends that is paid. */
  readonly paidTo: Instant;
  /** What the payments from the next one on are for, if its buyer has chosen other terms. */
  readonly next: Agreed | null;
  /** What the payments are for. `null`: what the order agreed on. */
  readonly now: Agreed | null;
  /** How many payments after the first one had the discount of the coupon of the order. Absent: none. */
  readonly discounted?: number;
  /** When it became known that it has ended. `null` while it goes on. */
  readonly endedAt: Instant | null;
}

/** How a subscription stands: its status, or that its buyer has cancelled it and it has not ended yet. */
export const subscriptionStates = ['running', 'past_due', 'paused', 'cancelled', 'ended'] as const;
export type SubscriptionState = (typeof subscriptionStates)[number];

/** Returns how a subscription stands. */
export function standingOf({ status, isCancelled }: Pick<Subscription, 'status' | 'isCancelled'>): SubscriptionState {
  if (status === 'ended') return status;
  if (isCancelled) return 'cancelled';
  return status === 'active' ? 'running' : status;
}

type SubscribedOrder = Order & { readonly agreed: Agreed & { readonly offer: SubscribedOffer } };
type SubscribedOffer = AgreedOffer & { readonly recurs: NonNullable<AgreedOffer['recurs']> };

/** Whether the payment of an order begins a subscription. */
export function isSubscribed(order: Pick<Order, 'agreed' | 'cycleOf'>): order is SubscribedOrder {
  return order.cycleOf === null && recursIn(order.agreed) !== undefined;
}

/** How the subscription goes on that was agreed. */
export function recursIn({ offer }: Pick<Agreed, 'offer'>): SubscribedOffer['recurs'] | undefined {
  return offer?.kind === 'subscription' ? (offer.recurs ?? undefined) : undefined;
}

/** A subscription of which another payment is expected. */
export function isRunning({ subscription }: Pick<Order, 'subscription'>): boolean {
  return subscription !== null && subscription.status !== 'ended' && !subscription.isCancelled;
}

/** A subscription at its first payment. */
export function newSubscription(known: Partial<Subscription> | undefined, now: Instant): Subscription {
  return {
    id: null,
    status: 'active',
    isCancelled: false,
    payAt: null,
    paidTo: now,
    next: null,
    now: null,
    endedAt: null,
    ...known,
  };
}

/** A subscription as sellers and programs see it. */
export interface Subscribed
  extends Pick<Subscription, 'status' | 'isCancelled' | 'paidTo'>,
    Pick<Order, 'id' | 'provider' | 'buyer'> {
  readonly licenseKey: LicenseKey | null;
  /** What each payment costs from now on, in the smallest unit of the currency. */
  readonly price: number;
  readonly currency: string;
  /** The months that each payment pays. */
  readonly months: number;
  /** The slug of the offer. */
  readonly offer: string;
  /** The offer from the next payment on, if it is another one. */
  readonly nextOffer: string | null;
}

/** Returns the subscription of an order. */
export function subscribed(order: Order): Subscribed | undefined {
  const { id, provider, buyer, subscription } = order;
  const { price, currency, offer } = agreedNow(order);
  if (subscription === null || offer?.recurs == null) return undefined;
  const { status, isCancelled, paidTo, next } = subscription;
  return {
    ...{ id, provider, buyer, status, isCancelled, paidTo, licenseKey: licenseOf(order), price, currency },
    ...{ months: offer.recurs.months, offer: offer.slug, nextOffer: next?.offer?.slug ?? null },
  };
}

/** Returns the event of what changed of a subscription. */
export function subscriptionEvents(before: Order, after: Order, by: By, now: Instant): readonly Event[] {
  const [was, is] = [before.subscription, after.subscription];
  if (is === null) return [];
  if (was && isSame(was, is)) return [];
  const { status, isCancelled: is_cancelled, paidTo: paid_to } = is;
  const offer = (is.now ?? after.agreed).offer?.slug ?? null;
  return [
    event(typeOf(was, is), String(after.id), by, now, {
      product: after.agreed.slug,
      status,
      is_cancelled,
      paid_to,
      offer,
    }),
  ];
}

function typeOf(was: Subscription | null, is: Subscription): EventType {
  if (was === null) return 'subscription.started';
  if (is.status === 'ended' && was.status !== 'ended') return 'subscription.ended';
  if (is.status === 'past_due' && was.status !== 'past_due') return 'subscription.payment_failed';
  if (is.isCancelled !== was.isCancelled) return is.isCancelled ? 'subscription.cancelled' : 'subscription.resumed';
  return 'subscription.changed';
}

/** What the next payment of a subscription costs, if nothing changes: without what was taken off the first payment alone. */
export function agreedNow({ agreed, subscription }: Pick<Order, 'agreed' | 'subscription'>): Agreed {
  return subscription?.now ?? laterPayment(agreed, subscription?.discounted ?? 0);
}

/** Returns what was agreed for a later payment, if so many later ones had the discount before it. */
function laterPayment(agreed: Agreed, discounted: number): Agreed {
  const full = inFull(agreed);
  const { discount } = agreed;
  return discount && discounted < discountedLater(discount)
    ? { ...full, price: full.price - discount.amount, discount }
    : full;
}

/** How many payments of a subscription after the first one have a discount. */
export function discountedLater({ payments }: Pick<Discount, 'payments'>): number {
  return payments === 'first' ? 0 : payments === 'every' ? Number.POSITIVE_INFINITY : payments - 1;
}

/** The terms of an order at their full price: without credit and coupon. */
export function inFull(agreed: Agreed): Agreed {
  const { discount, ...rest } = agreed;
  const { credit = 0, builtOn: _, of: _of, ...offer } = agreed.offer ?? {};
  const isPlain = agreed.offer === null;
  return {
    ...rest,
    price: agreed.price + credit + (discount?.amount ?? 0),
    version: null,
    templateId: null,
    ...(!isPlain && { offer: offer as AgreedOffer }),
  };
}

/** What the next payment of a subscription is for. */
export function agreedNext(order: Pick<Order, 'agreed' | 'subscription'>): Agreed {
  const { next } = order.subscription ?? {};
  return next == null ? agreedNow(order) : changed(next);
}

/** Other terms than those that a subscription began with. Each payment for them says so, because an earlier one can become void. */
export function changed(agreed: Agreed): Agreed {
  const full = inFull(agreed);
  return { ...full, offer: full.offer && { ...full.offer, isChange: true } };
}

/** How long before the end of the paid time this service asks for the next payment, in milliseconds. */
export const askedAhead = 7 * day;

/** The status of a subscription whose payments this service asks for itself. It depends on nothing but the payments and the time. */
export function ownStatus(
  { paidTo, isCancelled }: Pick<Subscription, 'paidTo' | 'isCancelled'>,
  graceDays: number,
  now: Instant,
): SubscriptionStatus {
  if (now < paidTo) return 'active';
  return isCancelled || now >= paidTo + graceDays * day ? 'ended' : 'past_due';
}

/** Whether this service asks for the payments of a subscription itself. */
export function isAskedHere({ provider }: Pick<Order, 'provider'>): boolean {
  return !isOutside(provider);
}

/**
 * Returns when to look at a subscription again: each day if a provider collects, and else when its status can change. `undefined`:
 * it has ended.
 */
export function nextLookAtSubscription(
  order: Pick<Order, 'provider' | 'agreed' | 'subscription'>,
  now: Instant,
): Instant | undefined {
  const { subscription, agreed } = order;
  const recurs = recursIn(subscription?.now ?? agreed);
  if (subscription === null || recurs === undefined || subscription.status === 'ended') return undefined;
  if (!isAskedHere(order)) return now + day;
  const { paidTo } = subscription;
  return [paidTo - askedAhead, paidTo, paidTo + recurs.graceDays * day].find((at) => at > now);
}
