/** The states of a payment, at every provider. A `paid` payment can have refunds and a dispute. */
export const paymentStatuses = ['open', 'processing', 'paid', 'failed', 'expired', 'cancelled'] as const;
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
  readonly dispute: DisputeState | null;
}

/** Returns the facts of the payment of a new order. */
export function unpaid(price: number, currency: string): PaymentFacts {
  return { status: 'open', currency, subtotal: price, total: price, refunded: 0, refundsPending: 0, dispute: null };
}

/** Returns the amount that can still be refunded. */
export function refundable({ status, total, refunded, refundsPending, dispute }: PaymentFacts): number {
  return status !== 'paid' || dispute === 'open' || dispute === 'lost' ? 0 : total - refunded - refundsPending;
}
