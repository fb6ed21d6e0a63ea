import type { ProductId } from '../id.ts';
import type { TaxLine } from '../invoices/tax-line.ts';

/**
 * The states of a payment, at every provider. A `paid` payment can have refunds and a dispute. Only one in USDC is `soft`: it is so deep
 * in its chain that it hardly ever goes away, and can still do so.
 */
export const paymentStatuses = ['open', 'processing', 'soft', 'paid', 'failed', 'expired', 'cancelled'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/** The states of a dispute. If a bank only asks a question before a dispute, there is no dispute yet. */
export const disputeStates = ['open', 'won', 'lost'] as const;
export type DisputeState = (typeof disputeStates)[number];

/** The known facts of an order's payment. All amounts are in the smallest unit of the currency, such as cents. */
export interface PaymentFacts {
  readonly status: PaymentStatus;
  /** A lower-case code of ISO 4217, such as `usd`. */
  readonly currency: string;
  /** The price after discounts of the provider, without the tax that is added to it. It must be the agreed price. */
  readonly subtotal: number;
  /** The full amount that the buyer pays: at least the agreed price. Refunds are compared with it. */
  readonly total: number;
  readonly refunded: number;
  /** Refunds on their way. They can still fail. */
  readonly refundsPending: number;
  /** Only in USDC: what people have recorded of `refunded` without a transaction. Missing: all of it. */
  readonly refundedByHand?: number;
  readonly dispute: DisputeState | null;
  /** The taxes in `total`, at most 12. Missing if nobody has computed any. */
  readonly taxes?: readonly TaxLine[];
  /** Whether the provider says that the buyer owes the tax instead of the seller (reverse charge). Missing: it does not say. */
  readonly isReverseCharge?: boolean;
  /** Only of a bundle: the products whose share is paid back, and those whose share is on its way. By ascending ids. */
  readonly refundedParts?: readonly ProductId[];
  readonly refundingParts?: readonly ProductId[];
  /** Only of a part of a bundle: what the refunds of its order mean for it. Its amounts do not say so: a share can be 0. */
  readonly refund?: WholeRefund;
}

/** Whether a payment is paid back as a whole: not, soon, or done. */
export type WholeRefund = 'none' | 'underway' | 'made';

/** Returns whether all of a payment is paid back. */
export function refundOf({
  total,
  refunded,
  refundsPending,
  refund,
}: Pick<PaymentFacts, 'total' | 'refunded' | 'refundsPending' | 'refund'>): WholeRefund {
  if (refund !== undefined) return refund;
  if (total === 0 || refunded + refundsPending < total) return 'none';
  return refunded >= total ? 'made' : 'underway';
}

/** Returns the facts of the payment of a new order. */
export function unpaid(price: number, currency: string): PaymentFacts {
  return { status: 'open', currency, subtotal: price, total: price, refunded: 0, refundsPending: 0, dispute: null };
}

/** Returns the amount that can still be refunded. */
export function refundable({ status, total, refunded, refundsPending, dispute }: PaymentFacts): number {
  return status !== 'paid' || dispute === 'open' || dispute === 'lost' ? 0 : total - refunded - refundsPending;
}

/** What people have recorded as refunded, without a transaction. Of a payment to which no transaction belongs, all of it. */
export function refundedByHandOf({ refunded, refundedByHand = refunded }: PaymentFacts): number {
  return refundedByHand;
}
