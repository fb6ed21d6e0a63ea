import type { UsdcOfOrder } from '../ports/usdc-store.ts';
import { type PaymentFacts, refundedByHandOf } from '../purchases/payment.ts';
import { refundOf, type SentBack, withoutRefund, withSentBack } from './sent-back.ts';
import { receivedIn } from './telling.ts';
import { cent } from './usdc-quote.ts';

/**
 * Returns what was sent back for an order, with what it refunds after an entry has gone. What is final stays; the others count
 * again, in the order of their chains: what was too much goes back first, and that may be another one now.
 */
export function refundsAgain(payment: PaymentFacts, known: UsdcOfOrder): readonly SentBack[] {
  const final = known.sentBack.filter(({ isFinal }) => isFinal);
  const going = known.sentBack.filter(({ isFinal }) => !isFinal);
  return counted(payment, known, final, going);
}

/**
 * Whether something final has refunded the price only because these entries gave back what was too much. Also if it was refunded before
 * too much came: the facts are the same then.
 */
export function isNeeded(payment: PaymentFacts, known: UsdcOfOrder, gone: readonly SentBack[]): boolean {
  if (gone.every((one) => withoutRefund(one) < cent)) return false;
  const final = known.sentBack.filter(({ isFinal }) => isFinal);
  const unrefunded = { ...payment, refunded: refundedByHandOf(payment), refundsPending: 0 };
  const sum = (some: readonly SentBack[]) => some.reduce((all, { refund }) => all + refund, 0);
  // Each can lose less than a cent when it is rounded in another order.
  return sum(counted(unrefunded, known, [], final)) < sum(final) - final.length;
}

/** Counts transfers back one after the other, after those that have counted. */
function counted(
  payment: PaymentFacts,
  known: UsdcOfOrder,
  before: readonly SentBack[],
  next: readonly SentBack[],
): readonly SentBack[] {
  let all = before;
  for (const one of next) {
    const received = receivedIn({ ...known, sentBack: all });
    all = [...all, { ...one, refund: refundOf(withSentBack(payment, all), received, one.amount) }];
  }
  return all;
}
