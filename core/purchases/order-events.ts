import { type By, type Event, type EventType, event } from '../events/event.ts';
import type { Instant } from '../ports/clock.ts';
import { isSame } from '../same.ts';
import { type Order, wasPaid } from './order.ts';
import { subscriptionEvents } from './subscription.ts';

function eventOf(type: EventType, { id, state, payment, agreed }: Order, by: By, now: Instant): Event {
  const { currency, total, refunded, dispute } = payment;
  return event(type, String(id), by, now, { product: agreed.slug, state, total, refunded, currency, dispute });
}

/** The events of a change of an order. `isFirst`: it is paid for the first time. */
export function eventsOf(before: Order, after: Order, isFirst: boolean, by: By, now: Instant): readonly Event[] {
  const changes = subscriptionEvents(before, after, by, now);
  const { subscription: _, updatedAt: _at, ...others } = before;
  const isOnlySubscription = Object.entries(others).every(([name, value]) => isSame(Reflect.get(after, name), value));
  if (isOnlySubscription) return changes;
  return [...typesOf(before, after, isFirst).map((type) => eventOf(type, after, by, now)), ...changes];
}

/** Several things can have happened since the last look. */
function typesOf(before: Order, after: Order, isFirst: boolean): EventType[] {
  // The events of its order say what happened to the payment.
  if (after.partOf !== null) return ['order.changed'];
  const types: EventType[] = [];
  const isPaid = wasPaid(after);
  if (after.isAccepted && !before.isAccepted) types.push('order.accepted');
  if (isFirst) types.push('order.paid');
  if (isPaid && after.payment.refunded !== before.payment.refunded) types.push('order.refunded');
  if (isPaid && after.payment.dispute !== before.payment.dispute) types.push('order.disputed');
  return types.length > 0 ? types : ['order.changed'];
}
