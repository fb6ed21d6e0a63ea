import { mostGraceDays } from '../marketplace/offers.ts';
import type { Instant } from '../ports/clock.ts';
import { day, hour, minute } from '../time.ts';
import { isOutside, type Order, type OrderState, type Provider } from './order.ts';
import { askedAhead, nextLookAtSubscription } from './subscription.ts';

/** Milliseconds until the answer of a provider must have come, or is taken for lost. Longer than any deadline. */
export const lostAfter = minute;

/** How long an order waits for its payment, in milliseconds. A provider outside ends its own payments earlier. */
const patience = {
  free: hour,
  manual: 30 * day,
  test: day,
  stripe: 25 * hour,
} as const satisfies Record<Provider, number>;

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

/** Returns when to look at the payment of a new order, if nobody else does. What a provider has collected is paid already. */
export function firstLookAt(order: Waiting): Instant {
  const isPaid = order.provider === 'free' || (order.cycleOf !== null && isOutside(order.provider));
  return isPaid ? order.createdAt : waitsUntil(order);
}

/**
 * Returns when to look again: when the order ends, or next day at a payment that is not settled at the provider, because
 * its events can get lost. `undefined`: nothing more will happen by itself.
 */
export function nextLookAt(
  order: Waiting & Pick<Order, 'state' | 'agreed' | 'subscription'>,
  now: Instant,
): Instant | undefined {
  if (order.state === 'open' && !hasLapsed(order, now)) return waitsUntil(order);
  const looks = [
    isOutside(order.provider) && underway.includes(order.state) ? now + day : undefined,
    nextLookAtSubscription(order, now),
  ].filter((at) => at !== undefined);
  return looks.length === 0 ? undefined : Math.min(...looks);
}

const underway: readonly OrderState[] = ['open', 'processing', 'held', 'refunding', 'disputed'];
