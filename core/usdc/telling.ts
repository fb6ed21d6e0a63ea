import type { OrderId } from '../id.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { StoredTransfer, UsdcOfOrder, UsdcStore } from '../ports/usdc-store.ts';
import { hasLapsed } from '../purchases/lapse.ts';
import type { Order } from '../purchases/order.ts';
import type { PaymentStatus } from '../purchases/payment.ts';
import type { Learn } from '../purchases/settle.ts';
import { isSubscribed } from '../purchases/subscription.ts';
import { isRefused } from '../refusal.ts';
import { isSame } from '../same.ts';
import { type Received, standingOf } from './matching.ts';
import { withoutRefund, withSentBack } from './sent-back.ts';

/** Tells an order what has come for it. Returns false if others keep changing the order: then it is told later. */
export type TellUsdcOrder = (id: OrderId) => Promise<boolean>;

/** Returns what has come for an order, on all chains together, without what was sent back and refunds nothing. */
export function receivedIn({ quotes, transfers, sentBack }: UsdcOfOrder): Received {
  const sum = (some: readonly StoredTransfer[]) => some.reduce((all, { amount }) => all + amount, 0);
  const seen = transfers.filter(({ isFinal }) => !isFinal);
  const takenAway = sentBack.reduce((all, one) => all + withoutRefund(one), 0);
  const asked = Math.min(...quotes.map(({ amount }) => amount));
  return {
    asked,
    final: Math.max(0, sum(transfers.filter(({ isFinal }) => isFinal)) - takenAway),
    seen: sum(seen),
    soft: sum(seen.filter(({ isSoft }) => isSoft)),
  };
}

/**
 * Whether an order gets its license before its payment is final. `limit`: the most that the operator risks, in cents. What changes a license
 * waits. If the limit is lowered, orders that are soft stay so.
 */
function canBeSoft({ renews, agreed, cycleOf, payment }: Order, limit: number): boolean {
  const isSale = renews === null && cycleOf === null && !isSubscribed({ agreed, cycleOf });
  return isSale && (payment.status === 'soft' || payment.total <= limit);
}

/** Returns the state of a payment after what has come. Only what is final makes it paid; it never becomes unpaid. */
function statusAfter(order: Order, received: Received, now: Instant, limit: number): PaymentStatus {
  const { status } = order.payment;
  const standing = standingOf(received);
  if (status === 'paid') return status;
  if (standing.status === 'soft') return canBeSoft(order, limit) ? 'soft' : 'processing';
  if (standing.status !== 'open') return standing.status;
  if (status !== 'processing' && status !== 'soft') return status;
  return hasLapsed(order, now) ? 'expired' : 'open';
}

const mostTries = 5;

export function createTellUsdcOrder({
  orders,
  store,
  learn,
  clock,
  softLimit,
}: {
  readonly orders: Pick<OrderStore, 'find'>;
  readonly store: Pick<UsdcStore, 'ofOrder'>;
  readonly learn: Learn;
  readonly clock: Clock;
  /** The most that an order may cost, in cents, to get its license before its payment is final. */
  readonly softLimit: number;
}): TellUsdcOrder {
  return async (id) => {
    for (let tries = 0; tries < mostTries; tries++) {
      // In this order: an order that was told something newer meanwhile has another revision.
      const order = await orders.find(id);
      if (order === undefined) return true;
      const known = await store.ofOrder(id);
      const status = statusAfter(order, receivedIn(known), clock.now(), softLimit);
      const payment = withSentBack({ ...order.payment, status }, known.sentBack);
      if (isSame(payment, order.payment)) return true;
      const learned = { payment };
      const told = await learn(id, learned, { actor: order.provider }, order.revision);
      if (!isRefused(told)) return true;
    }
    return false;
  };
}
