import type { Order } from '../purchases/order.ts';
import type { PaymentFacts } from '../purchases/payment.ts';
import type { Refused } from '../refusal.ts';

/** Where the provider sends the buyer afterwards. Both addresses are absolute. */
export interface ReturnAddresses {
  readonly done: string;
  readonly cancelled: string;
}

/** A payment that the provider has prepared. */
export interface StartedPayment {
  readonly paymentId: string;
  /** The provider's page on which the buyer pays. */
  readonly payAt: string;
}

/** The facts of a payment that a provider knows. */
export interface KnownPayment extends PaymentFacts {
  /** See `Order`. `null` as long as the provider has none. */
  readonly intentId: string | null;
  /** The data that the buyer entered at the provider. */
  readonly buyer: { readonly email: string | null; readonly name: string | null };
}

/** A provider outside of this service that takes money. All methods throw `Unavailable` if it cannot be reached. */
export interface PaymentProvider {
  readonly name: 'stripe';
  /** Whether it takes real money. It serves only orders of this mode. */
  readonly isLive: boolean;
  /**
   * Prepares the payment of an order. Called again for the same order and addresses within a day, it returns the same
   * payment. Throws if the provider does not accept the order, for example because the price is too low for it.
   */
  start(order: Order, addresses: ReturnAddresses): Promise<StartedPayment>;
  /** Returns the current facts of a payment. Throws if the provider does not know it, or it is of the other mode. */
  read(paymentId: string): Promise<KnownPayment>;
  /** Refunds a part of what was paid. The same `key` refunds only once; a refund that failed does not count. */
  refund(order: Order, amount: number, key: string): Promise<undefined | Refused<'refund_not_possible'>>;
  /**
   * Reads an event that the provider sends. Never trusts it for anything but the id of the payment that it is about.
   * Returns `undefined` for events that are not about our payments.
   */
  receive(
    body: Uint8Array,
    signature: string | undefined,
  ): Promise<{ readonly paymentId: string } | { readonly intentId: string } | undefined | Refused<'invalid_signature'>>;
  /** Returns the id of the payment with this intent, if it is one of ours. */
  paymentOf(intentId: string): Promise<string | undefined>;
}
