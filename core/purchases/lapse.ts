import type { Instant } from '../ports/clock.ts';
import type { Order, Provider } from './order.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** How long an order waits for its payment, in milliseconds. A provider outside ends its own payments earlier. */
const patience = {
  free: hour,
  manual: 30 * day,
  test: day,
  stripe: 25 * hour,
} as const satisfies Record<Provider, number>;

/** Whether nobody paid an order in time. */
export function hasLapsed({ provider, createdAt }: Pick<Order, 'provider' | 'createdAt'>, now: Instant): boolean {
  return now >= createdAt + patience[provider];
}

/** Returns when to look at the payment of a new order, if nobody else does. */
export function firstLookAt({ provider, createdAt }: Pick<Order, 'provider' | 'createdAt'>): Instant {
  return provider === 'free' ? createdAt : createdAt + patience[provider];
}

/** Returns when to look again at a payment that is on its way at the provider. Its events can get lost. */
export function lookAgainAfter(
  { provider, state }: Pick<Order, 'provider' | 'state'>,
  now: Instant,
): Instant | undefined {
  const isUnderway = state === 'processing' || state === 'refunding' || state === 'disputed';
  return provider === 'stripe' && isUnderway ? now + day : undefined;
}
