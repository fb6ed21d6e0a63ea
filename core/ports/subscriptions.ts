import type { Abort } from '../abort.ts';
import type { Refused } from '../refusal.ts';
import type { Instant } from './clock.ts';

/**
 * `active`: its payments come in. `past_due`: the last one failed, and the provider tries again. `paused`: the provider collects
 * nothing for the time being. `ended`: no payment will come any more.
 */
export const subscriptionStatuses = ['active', 'past_due', 'paused', 'ended'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** The facts of a subscription that can change. */
export interface SubscriptionFacts {
  readonly status: SubscriptionStatus;
  /** Its buyer has cancelled: it ends with the time that is paid. Of one that has ended, it stays as it was. */
  readonly isCancelled: boolean;
  /** The page on which a payment that failed can be made now. `null` if none waits. */
  readonly payAt: string | null;
}

/** A payment of a subscription, after its first one, that was collected. Refunds of it and disputes do not take it away. */
export interface SubscriptionPayment {
  /** What `PaymentProvider.read` takes. */
  readonly paymentId: string;
  /** The time that it pays. */
  readonly from: Instant;
  readonly to: Instant;
  /** The price without tax, after discounts. */
  readonly price: number;
  /** A lower-case code of ISO 4217. */
  readonly currency: string;
}

/** The facts of a subscription that a provider knows. */
export interface KnownSubscription extends SubscriptionFacts {
  /** Oldest first. */
  readonly payments: readonly SubscriptionPayment[];
}

/**
 * The subscriptions at a provider outside of this service. All methods throw `Unavailable` if it cannot be reached, as those of
 * `PaymentProvider` do. The ids come from `KnownPayment.subscriptionId`.
 */
export interface Subscriptions {
  /** Throws if the provider does not know the subscription, or it is of the other mode. */
  read(id: string, until?: Abort): Promise<KnownSubscription>;
  /** Ends it with the time that is paid, or at once. Nothing is paid back. Does nothing if it has ended. */
  cancel(id: string, when: 'paid_end' | 'now', until?: Abort): Promise<void>;
  /** Takes back that it ends with the time that is paid. */
  resume(id: string, until?: Abort): Promise<undefined | Refused<'subscription_ended'>>;
  /** From the next payment on, each costs this much, without tax and without any discount. The time that is paid stays as it is. */
  reprice(
    id: string,
    next: { readonly price: number; readonly currency: string; readonly months: number; readonly title: string },
    until?: Abort,
  ): Promise<undefined | Refused<'subscription_ended'>>;
  /** Returns a page of the provider on which the buyer changes the card and sees the invoices. Valid for some minutes. */
  manage(id: string, returnTo: string, until?: Abort): Promise<string>;
}
