import { mostGraceDays } from '../marketplace/offers.ts';
import type { Instant } from '../ports/clock.ts';
import { day, hour, minute } from '../time.ts';
import { isCouponHeld } from './coupon.ts';
import { isOutside, isPaidHere, type Order, type OrderState, type Provider } from './order.ts';
import { askedAhead, nextLookAtSubscription } from './subscription.ts';

/** Milliseconds until the answer of a provider must have come, or is taken for lost. Longer than any deadline. */
export const lostAfter = minute;

/** How long an order waits for its payment, in milliseconds. A provider outside ends its own payments earlier. */
const patience = {
  free: hour,
  manual: 30 * day,
  test: day,
  stripe: 25 * hour,
  usdc: day,
} as const satisfies Record<Provider, number>;

/** How long an unpaid order holds the use of its coupon, in milliseconds. Then others can have it. */
export const couponHold = hour;

/** Stripe begins a payment only if its page can be open for so long, in milliseconds. */
const leastTimeToPay = 30 * minute;

type Waiting = Pick<Order, 'provider' | 'createdAt' | 'cycleOf'>;

/** A payment of a subscription that this service asks for waits for longer than the longest grace, and then a month. */
const forPaymentsAskedHere = askedAhead + (mostGraceDays + 30) * day;

/** Returns until when an order waits for its payment. */
export function waitsUntil({ provider, createdAt, cycleOf }: Waiting): Instant {
  return createdAt + (cycleOf === null ? patience[provider] : forPaymentsAskedHere);
}

/** Whether nobody paid an order in time. */
export function hasLapsed(order: Waiting, now: Instant): boolean {
  return now >= waitsUntil(order);
}

/** Until when an order holds the use of its coupon without a payment. `undefined`: it has none. */
function holdsUntil({ agreed, cycleOf, createdAt }: Waiting & Pick<Order, 'agreed'>): Instant | undefined {
  return agreed.discount === undefined || cycleOf !== null ? undefined : createdAt + couponHold;
}

/** Whether an order has held the use of its coupon for long enough. */
export function hasHeldCoupon(order: Waiting & Pick<Order, 'agreed' | 'state'>, now: Instant): boolean {
  return isCouponHeld(order) && now >= (holdsUntil(order) ?? Number.POSITIVE_INFINITY);
}

/** Whether it is too late to begin a payment outside: the coupon is not held for long enough. */
export function isTooLateToBegin(order: Waiting & Pick<Order, 'agreed' | 'paymentId'>, now: Instant): boolean {
  return order.paymentId === null && now > (holdsUntil(order) ?? Number.POSITIVE_INFINITY) - leastTimeToPay;
}

/** Returns when to look at the payment of a new order, if nobody else does. What a provider has collected is paid already. */
export function firstLookAt(order: Waiting & Pick<Order, 'agreed' | 'partOf'>): Instant {
  const isPaid = isPaidHere(order) || (order.cycleOf !== null && isOutside(order.provider));
  return isPaid ? order.createdAt : Math.min(waitsUntil(order), holdsUntil(order) ?? Number.POSITIVE_INFINITY);
}

/**
 * Returns when to look again: when the order ends, or next day at a payment that is not settled at the provider, because
 * its events can get lost. `undefined`: nothing more will happen by itself.
 */
export function nextLookAt(
  order: Waiting & Pick<Order, 'state' | 'agreed' | 'subscription'>,
  now: Instant,
): Instant | undefined {
  if (order.state === 'open' && !hasLapsed(order, now)) {
    const until = holdsUntil(order) ?? 0;
    return now < until ? Math.min(until, waitsUntil(order)) : waitsUntil(order);
  }
  const looks = [
    isOutside(order.provider) && underway.includes(order.state) ? now + day : undefined,
    nextLookAtSubscription(order, now),
  ].filter((at) => at !== undefined);
  return looks.length === 0 ? undefined : Math.min(...looks);
}

const underway: readonly OrderState[] = ['open', 'processing', 'held', 'refunding', 'disputed'];
