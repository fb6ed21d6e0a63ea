import type { OrderId } from '../id.ts';
import type { Order } from '../purchases/order.ts';
import { type PaymentFacts, refundable, refundedByHandOf } from '../purchases/payment.ts';
import { type Refused, refuse } from '../refusal.ts';
import { type Received, standingOf } from './matching.ts';
import type { Transfer } from './transfer.ts';
import { cent } from './usdc-quote.ts';

/** USDC that a seller has sent back for an order, and has named by the hash of its transaction. */
export interface SentBack extends Transfer {
  readonly orderId: OrderId;
  readonly chainId: number;
  /**
   * The cents of the price that it refunds. What was too much goes back first, and refunds nothing; neither does what came for
   * an order that is not paid.
   */
  readonly refund: number;
  readonly isFinal: boolean;
}

/** What of a transfer back refunds no cent of the price. It counts as if it had never come. */
export function withoutRefund({ amount, refund }: SentBack): number {
  return amount - refund * cent;
}

/** The cents that a transfer back refunds, after what was too much. `received`: without what earlier ones have taken away. */
export function refundOf(payment: PaymentFacts, received: Received, amount: number): number {
  const { surplus } = standingOf(received);
  return Math.min(refundable(payment), Math.floor(Math.max(0, amount - surplus) / cent));
}

/** Returns the cents that a new transfer back refunds, or why it does not belong to the order. */
export function refundBy(
  { state, payment }: Pick<Order, 'state' | 'payment'>,
  received: Received,
  amount: number,
): number | Refused<'refund_not_possible' | 'payment_act_not_allowed'> {
  const mostBack = (most: number) =>
    amount <= most + cent
      ? undefined
      : refuse(
          'refund_not_possible',
          'It has moved more than this order can get back. Look for the order that it belongs to.',
        );
  if (payment.status !== 'paid') {
    if (state === 'processing' || state === 'soft' || standingOf(received).status !== 'open') {
      return refuse('payment_act_not_allowed', 'The payment is not final yet. Enter the transaction when it is.');
    }
    return received.final > 0
      ? (mostBack(received.final) ?? 0)
      : refuse('refund_not_possible', 'Nothing has arrived for this order that could be sent back.');
  }
  const { surplus } = standingOf(received);
  const refund = refundOf(payment, received, amount);
  if (refund === 0 && surplus === 0) return refuse('refund_not_possible', 'Nothing of this order can be refunded.');
  return mostBack(surplus + refundable(payment) * cent) ?? refund;
}

/**
 * Returns the refunds of a payment after what was sent back. What is final stays. Refunds that people have recorded without a
 * transaction are kept beside them.
 */
export function withSentBack(payment: PaymentFacts, sentBack: readonly SentBack[]): PaymentFacts {
  if (sentBack.length === 0 && payment.refundedByHand === undefined) return payment;
  const sum = (isFinal: boolean) =>
    sentBack.filter((one) => one.isFinal === isFinal).reduce((all, { refund }) => all + refund, 0);
  const refundedByHand = refundedByHandOf(payment);
  const refunded = Math.max(payment.refunded, Math.min(payment.total, refundedByHand + sum(true)));
  const refundsPending = Math.min(payment.total - refunded, sum(false));
  return { ...payment, refundedByHand, refunded, refundsPending };
}
