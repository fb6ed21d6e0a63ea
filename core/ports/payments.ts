import type { Abort } from '../abort.ts';
import type { ProductId } from '../id.ts';
import type { BillingDetails } from '../invoices/billing-details.ts';
import type { Order } from '../purchases/order.ts';
import type { PaymentFacts } from '../purchases/payment.ts';
import type { Refused } from '../refusal.ts';
import type { Subscriptions } from './subscriptions.ts';

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
  /** The subscription that the payment has begun. `null` if it is none, or has not begun yet. */
  readonly subscriptionId: string | null;
  /** The data that the buyer entered at the provider. */
  readonly buyer: { readonly email: string | null; readonly name: string | null };
  /** The address and tax id that the buyer entered there. `null` if none. */
  readonly billing: BillingDetails | null;
}

/** What makes two refunds the same: either of the two. */
export interface RefundKeys {
  readonly key: string;
  /** The idempotency key of the request. Of any length, and not for others to see. */
  readonly request?: string | undefined;
  /** The product of a bundle whose share is refunded. Then only `key` says which refund it is: a request can be for several. */
  readonly product?: ProductId | undefined;
}

/**
 * A provider outside of this service that takes money. All methods throw `Unavailable` if it cannot be reached, and at the
 * latest when `until` is aborted. Then it is unknown whether the provider did what was asked.
 */
export interface PaymentProvider {
  readonly name: 'stripe';
  /** Whether it takes real money. It serves only orders of this mode. */
  readonly isLive: boolean;
  readonly subscriptions: Subscriptions;
  /** Whether it takes an amount of a currency: it has a least and a largest one for each, and not all decimals. */
  takes(amount: number, currency: string): boolean;
  /**
   * Prepares the payment of an order. If its offer is a subscription, each later payment costs the price, the credit and the
   * discount of the order together, less the discount if it is for that payment, too. Called again for the same order and addresses within a day, it returns the same
   * payment. Throws if the provider does not accept the order, for example because the price is too low for it.
   */
  start(order: Order, addresses: ReturnAddresses, until?: Abort): Promise<StartedPayment>;
  /**
   * Returns the id of the payment that `start` prepared within some minutes after the order was made, if there is one.
   * Used if the answer of `start` was lost.
   */
  find(order: Order, until?: Abort): Promise<string | undefined>;
  /** Returns the current facts of a payment: one that `start` prepared, or one of a subscription. Throws if the provider does not know it, or it is of the other mode. */
  read(paymentId: string, until?: Abort): Promise<KnownPayment>;
  /** Refunds a part of what was paid. The same key refunds only once; a refund that failed does not count. */
  refund(
    order: Order,
    amount: number,
    keys: RefundKeys,
    until?: Abort,
  ): Promise<undefined | Refused<'refund_not_possible'>>;
  /** Whether this request has refunded something of the order. A refund that failed does not count. */
  hasRefunded(order: Order, request: string, until?: Abort): Promise<boolean>;
  /**
   * Reads an event that the provider sends. Never trusts it for anything but the id of the payment that it is about.
   * Returns `undefined` for events that are not about our payments. Refuses a signed body that is no event, or does not
   * name the payment that it is about.
   */
  receive(
    body: Uint8Array,
    signature: string | undefined,
  ): Promise<
    | { readonly paymentId: string }
    | { readonly intentId: string }
    | { readonly subscriptionId: string }
    | undefined
    | Refused<'invalid_signature' | 'invalid_event'>
  >;
  /** Asks the provider whether the key works, and may read all that is needed. The detail of a refusal says what is wrong. */
  test(until?: Abort): Promise<undefined | Refused<'key_refused'>>;
  /** Returns the id of the payment with this intent: one that `start` prepared, or one of a subscription. */
  paymentOf(intentId: string, until?: Abort): Promise<string | undefined>;
}
