import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Order, Provider } from './order.ts';
import { type PartRefund, withRefunds } from './parts.ts';
import { type PaymentFacts, refundable } from './payment.ts';
import type { Learned } from './settled.ts';

/** A change of a payment that a person records, because no provider outside knows of it. */
export type RecordedAct =
  | { readonly kind: 'pay' | 'decline' | 'cancel' | 'dispute' | 'win' | 'lose' }
  /** In the smallest unit of the currency. */
  | { readonly kind: 'refund'; readonly amount: number }
  | { readonly kind: 'refund parts'; readonly refunds: readonly PartRefund[] };

/** The acts that each provider's orders allow here. */
const allowed = {
  free: [],
  manual: ['pay', 'cancel', 'refund', 'refund parts'],
  test: ['pay', 'decline', 'cancel', 'refund', 'refund parts', 'dispute', 'win', 'lose'],
  stripe: [],
  // The seller sends a refund from an exchange, or another address that nobody can check, and says so here.
  usdc: ['refund', 'refund parts'],
} as const satisfies Record<Provider, readonly RecordedAct['kind'][]>;

/** Returns the payment after an act, or why it cannot be recorded. */
export function recorded(
  { provider, payment }: Pick<Order, 'provider' | 'payment'>,
  act: RecordedAct,
): PaymentFacts | Refused<'payment_act_not_allowed' | 'refund_not_possible'> {
  const kinds: readonly string[] = allowed[provider];
  if (!kinds.includes(act.kind)) return notAllowed('This order is not paid by hand.');
  const { status, dispute } = payment;
  const isPaid = status === 'paid';
  switch (act.kind) {
    case 'pay':
      return isPaid ? notAllowed('The order is paid already.') : { ...payment, status: 'paid' };
    case 'decline':
      return isPaid ? notAllowed('The order is paid already.') : { ...payment, status: 'failed' };
    case 'cancel':
      return isPaid ? notAllowed('The order is paid. Refund it instead.') : { ...payment, status: 'cancelled' };
    case 'refund':
      return act.amount <= 0 || act.amount > refundable(payment)
        ? tooMuch(payment)
        : byHand(payment, { ...payment, refunded: payment.refunded + act.amount });
    case 'refund parts':
      return byHand(payment, withRefunds(payment, act.refunds));
    case 'dispute':
      return isPaid && dispute === null ? { ...payment, dispute: 'open' } : notAllowed('There is nothing to dispute.');
    case 'win':
    case 'lose':
      return dispute === 'open'
        ? { ...payment, dispute: act.kind === 'win' ? 'won' : 'lost' }
        : notAllowed('There is no open dispute.');
  }
}

/** Keeps apart what was recorded from what the transactions of an order say. */
function byHand({ refunded, refundedByHand }: PaymentFacts, after: PaymentFacts): PaymentFacts {
  return refundedByHand === undefined
    ? after
    : { ...after, refundedByHand: refundedByHand + after.refunded - refunded };
}

function notAllowed(detail: string): Refused<'payment_act_not_allowed'> {
  return refuse('payment_act_not_allowed', detail);
}

/** The refusal of a refund that is larger than the remaining amount. */
export function tooMuch(payment: PaymentFacts): Refused<'refund_not_possible'> {
  const left = refundable(payment);
  return refuse(
    'refund_not_possible',
    left === 0 ? 'Nothing of this order can be refunded.' : 'This is more than what can still be refunded.',
    { refundable: left },
  );
}

/** Returns what an act makes known of an order. */
export function learnedBy(
  order: Pick<Order, 'provider' | 'payment'>,
  act: RecordedAct,
): Learned | Exclude<ReturnType<typeof recorded>, PaymentFacts> {
  const payment = recorded(order, act);
  return isRefused(payment) ? payment : { payment };
}
