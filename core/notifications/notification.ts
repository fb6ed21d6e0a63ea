import type { ClaimId, NotificationId, OrderId, ProductId, UserId, WebhookId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import { day } from '../time.ts';

/** How long notifications are kept, in milliseconds. */
export const keptFor = 90 * day;
/** Unread notifications are counted up to this number. Pages then show `99+`. */
export const mostCounted = 100;

/** The facts by which owners recognize their key. */
interface KeyFacts {
  readonly name: string;
  readonly prefix: string;
  readonly lastFour: string;
}

/** The facts about a product. */
interface ProductFacts {
  readonly product: ProductId;
  readonly title: string;
  readonly isLive: boolean;
}

/** The facts about an order of the reader's products. `amount` is in the smallest unit of the currency. */
export interface OrderFacts {
  readonly order: OrderId;
  readonly title: string;
  readonly amount: number;
  readonly currency: string;
  readonly isLive: boolean;
}

/** The facts about a payment that a buyer has claimed. `usdc`: how much, as wallets write it. */
export interface ClaimFacts {
  readonly claim: ClaimId;
  readonly usdc: string;
}

/** The facts about a license that is suspected to be leaked. `title`: that of its product. */
export interface LeakFacts {
  readonly licenseKey: string;
  readonly title: string;
  readonly isLive: boolean;
  /** The number of foreign domains. */
  readonly domains: number;
}

/** The facts about a webhook of the reader. */
interface WebhookFacts {
  readonly webhook: WebhookId;
  readonly url: string;
  readonly isLive: boolean;
}

/** Each kind of notification, with the facts that it shows. A new kind does not compile until it has a text. */
interface NoticeFacts {
  /** Somebody signed in with a browser that the user had not used before. */
  new_sign_in: { readonly browser: string; readonly address: string };
  key_made: KeyFacts;
  key_revoked: KeyFacts;
  password_changed: object;
  /** `email` is the new address. */
  email_changed: { readonly email: string };
  second_factor_changed: { readonly change: 'on' | 'off' | 'codes' };
  product_approved: ProductFacts;
  /** To administrators: a product waits for approval. */
  product_waits: ProductFacts;
  /** `reason` is empty if the administrator gave none. */
  product_rejected: ProductFacts & { readonly reason: string };
  /** To the seller: a buyer has rated the product. */
  product_rated: ProductFacts & { readonly stars: number };
  /** To administrators: the seller has reported a rating. */
  rating_reported: ProductFacts;
  /** Several foreign domains ask with the key of a license of the reader's product. */
  license_leak_suspected: LeakFacts;
  order_paid: OrderFacts;
  /** To those who record payments by hand: the order waits for its payment. */
  order_waits: OrderFacts;
  /** A buyer has signed that a transfer of USDC is for the order. */
  payment_claimed: OrderFacts & ClaimFacts;
  order_refunded: OrderFacts;
  /** The buyer has cancelled a subscription. */
  subscription_cancelled: OrderFacts;
  /** A payment of a subscription failed. */
  subscription_payment_failed: OrderFacts;
  order_disputed: OrderFacts & { readonly dispute: 'open' | 'won' | 'lost' };
  /** To administrators: something else was paid than agreed. */
  order_held: OrderFacts;
  /** An event could not be delivered, in spite of all attempts. `why`: the fault of the last one, in words. */
  webhook_failed: WebhookFacts & { readonly why: string };
  /** A webhook was switched off after nothing but failures. */
  webhook_off: WebhookFacts;
}

export type NoticeKind = keyof NoticeFacts;
type NoticeOf<Kind extends NoticeKind> = { readonly kind: Kind } & NoticeFacts[Kind];
/** The content of a notification, before it is put into words. */
export type Notice = { [Kind in NoticeKind]: NoticeOf<Kind> }[NoticeKind];

/** A notification that is not stored yet. */
export interface NewNotification {
  /** The only one who sees it. */
  readonly userId: UserId;
  readonly notice: Notice;
  readonly createdAt: Instant;
}

/** A stored notification, which the pages show to its user. */
export interface Notification extends NewNotification {
  readonly id: NotificationId;
  /** `null` if it is unread. */
  readonly readAt: Instant | null;
}
