import type { Instant } from '../ports/clock.ts';
import { day, hour, minute } from '../time.ts';
import { isOutside, type Order, type OrderState, type Provider } from './order.ts';

/** Milliseconds until the answer of a provider must have come, or is taken for lost. Longer than any deadline. */
export const lostAfter = minute;

/** How long an order waits for its payment, in milliseconds. A provider outside ends its own payments earlier. */
const patience = {
  free: hour,
  manual: 30 * day,
  test: day,
  stripe: 25 * hour,
} as const satisfies Record<Provider, number>;

/** Returns until when an order waits for its payment. */
export function waitsUntil({ provider, createdAt }: Pick<Order, 'provider' | 'createdAt'>): Instant {
  return createdAt + patience[provider];
}

/** Whether nobody paid an order in time. */
export function hasLapsed(order: Pick<Order, 'provider' | 'createdAt'>, now: Instant): boolean {
  return now >= waitsUntil(order);
}

/** Returns when to look at the payment of a new order, if nobody else does. */
export function firstLookAt(order: Pick<Order, 'provider' | 'createdAt'>): Instant {
  return order.provider === 'free' ? order.createdAt : waitsUntil(order);
}

/**
 * Returns when to look again: when the order ends, or next day at a payment that is not settled at the provider, because
 * its events can get lost. `undefined`: nothing more will happen by itself.
 */
export function nextLookAt(order: Pick<Order, 'provider' | 'state' | 'createdAt'>, now: Instant): Instant | undefined {
  if (order.state === 'open' && !hasLapsed(order, now)) return waitsUntil(order);
  return isOutside(order.provider) && underway.includes(order.state) ? now + day : undefined;
}

const underway: readonly OrderState[] = ['open', 'processing', 'held', 'refunding', 'disputed'];
