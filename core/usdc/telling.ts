import type { OrderId } from '../id.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { UsdcOfOrder, UsdcStore } from '../ports/usdc-store.ts';
import { hasLapsed } from '../purchases/lapse.ts';
import type { Order } from '../purchases/order.ts';
import type { PaymentStatus } from '../purchases/payment.ts';
import type { Learn } from '../purchases/settle.ts';
import { isRefused } from '../refusal.ts';
import { isSame } from '../same.ts';
import { type Received, standingOf } from './matching.ts';
import { withoutRefund, withSentBack } from './sent-back.ts';

/** Tells an order what has come for it. Returns false if others keep changing the order: then it is told later. */
export type TellUsdcOrder = (id: OrderId) => Promise<boolean>;

/** Returns what has come for an order, on all chains together, without what was sent back and refunds nothing. */
export function receivedIn({ quotes, transfers, sentBack }: UsdcOfOrder): Received {
  const sum = (isFinal: boolean) =>
    transfers.filter((one) => one.isFinal === isFinal).reduce((all, { amount }) => all + amount, 0);
  const takenAway = sentBack.reduce((all, one) => all + withoutRefund(one), 0);
  const asked = Math.min(...quotes.map(({ amount }) => amount));
  return { asked, final: Math.max(0, sum(true) - takenAway), seen: sum(false) };
}

/** Returns the state of a payment after what has come. Only what is final makes it paid; it never becomes unpaid. */
function statusAfter(order: Order, received: Received, now: Instant): PaymentStatus {
  const { status } = order.payment;
  const standing = standingOf(received);
  if (status === 'paid') return status;
  if (standing.status !== 'open') return standing.status;
  if (status !== 'processing') return status;
  return hasLapsed(order, now) ? 'expired' : 'open';
}

const mostTries = 5;

export function createTellUsdcOrder({
  orders,
  store,
  learn,
  clock,
}: {
  readonly orders: Pick<OrderStore, 'find'>;
  readonly store: Pick<UsdcStore, 'ofOrder'>;
  readonly learn: Learn;
  readonly clock: Clock;
}): TellUsdcOrder {
  return async (id) => {
    for (let tries = 0; tries < mostTries; tries++) {
      // In this order: an order that was told something newer meanwhile has another revision.
      const order = await orders.find(id);
      if (order === undefined) return true;
      const known = await store.ofOrder(id);
      const status = statusAfter(order, receivedIn(known), clock.now());
      const payment = withSentBack({ ...order.payment, status }, known.sentBack);
      if (isSame(payment, order.payment)) return true;
      const learned = { payment };
      const told = await learn(id, learned, { actor: order.provider }, order.revision);
      if (!isRefused(told)) return true;
    }
    return false;
  };
}
