import type { UserId } from '../id.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import type { License, LicenseStatus, Rights } from '../licensing/license.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { ReminderDays } from '../licensing/reminders.ts';
import type { Product } from '../marketplace/product.ts';
import type { Instant } from '../ports/clock.ts';
import type { Order } from '../purchases/order.ts';
import type { Subscribed } from '../purchases/subscription.ts';

/** The events that webhooks receive, with their meaning (spec: Events). */
export const webhookEvents = {
  'license.issued': 'A license was issued.',
  'license.activated': 'A domain was activated on a license.',
  'license.deactivated': 'A domain was deactivated.',
  'license.domain_moved': 'A license was moved from one domain to another.',
  'license.suspended': 'A license was suspended.',
  'license.reinstated': 'A suspended license works again.',
  'license.revoked': 'A license was revoked.',
  'license.renewed': 'The end of a license was changed to a later time.',
  'license.rotated': 'The key of a license was replaced.',
  'license.leak_suspected': 'Foreign domains ask with the key of a license.',
  'license.expiring': 'A license expires in 7 days, or in 1 day.',
  'license.expired': 'A license has expired.',
  'license.verified': 'A domain was verified. Sent at most once a minute for each license and domain.',
  'order.paid': 'An order was paid, or a free product was taken.',
  'order.refunded': 'An order was refunded in full or in part.',
  'order.disputed': 'The payment of an order was disputed, or the dispute ended.',
  'subscription.started': 'The first payment of a subscription was made.',
  'subscription.changed': 'A subscription was paid again, paused, or gets another offer.',
  'subscription.payment_failed': 'A payment of a subscription failed. Its license works until the end of the grace.',
  'subscription.cancelled': 'A subscription was cancelled. It ends with the time that is paid.',
  'subscription.resumed': 'A subscription that was cancelled goes on.',
  'subscription.ended': 'A subscription has ended.',
  'product.approved': 'A product was approved.',
  'product.rejected': 'A product was rejected.',
} as const satisfies Record<`${'license' | 'order' | 'subscription' | 'product'}.${string}`, string>;
export type WebhookEventType = keyof typeof webhookEvents;
export const webhookEventTypes = Object.keys(webhookEvents) as [WebhookEventType, ...WebhookEventType[]];

/** Events that an endpoint gets only if it names them. `*` does not include them. */
export const optIn: readonly WebhookEventType[] = ['license.verified'];

/** The license in an event, as it is after the event. */
interface LicenseFacts extends Pick<License, 'domainsUsed' | 'maxDomains' | 'expiresAt' | keyof Rights> {
  readonly key: LicenseKey;
  readonly status: LicenseStatus;
}

/** `reason` is empty if none was given. */
interface WithReason {
  readonly reason: string;
}

/** Each event with the facts that only it has. A new event does not compile until its facts are listed. */
interface Facts {
  'license.issued': object;
  'license.activated': { readonly domain: DomainName };
  'license.deactivated': { readonly domain: DomainName };
  /** `from` is valid until `fromEndsAt`, which can be the time of the move. */
  'license.domain_moved': { readonly from: DomainName; readonly to: DomainName; readonly fromEndsAt: Instant };
  'license.suspended': WithReason;
  'license.reinstated': WithReason;
  'license.revoked': WithReason;
  'license.renewed': WithReason;
  /** The license has the new key. `formerKey` is valid until `formerEndsAt`, which can be the time of the change. */
  'license.rotated': { readonly formerKey: LicenseKey; readonly formerEndsAt: Instant };
  /** In alphabetical order. */
  'license.leak_suspected': { readonly domains: readonly string[] };
  /** `daysLeft`: which reminder it is. One that is late comes with less time left. */
  'license.expiring': { readonly daysLeft: ReminderDays };
  'license.expired': object;
  /** The number of verifications since the last such event for this domain, and the time of the last of them. */
  'license.verified': { readonly domain: DomainName; readonly count: number; readonly lastVerifiedAt: Instant };
  'order.paid': object;
  'order.refunded': object;
  'order.disputed': object;
  'subscription.started': object;
  'subscription.changed': object;
  'subscription.payment_failed': object;
  'subscription.cancelled': object;
  'subscription.resumed': object;
  'subscription.ended': object;
  'product.approved': object;
  'product.rejected': WithReason;
}

/** The order in an event, as it is after the event. */
type OrderFacts = Pick<
  Order,
  'id' | 'number' | 'invoice' | 'creditNotes' | 'provider' | 'state' | 'buyer' | 'licenseKey' | 'renews' | 'payment'
> & {
  readonly agreed: Pick<Order['agreed'], 'discount' | 'bundle'>;
  /** None if it is no bundle. */
  readonly parts: readonly OrderPartFacts[];
};

/** A part of an order, in events and in the API. */
export type OrderPartFacts = Pick<Order, 'id' | 'productId' | 'state' | 'licenseKey'> & {
  readonly agreed: Pick<Order['agreed'], 'title' | 'slug' | 'price'> & {
    readonly offer: Pick<NonNullable<Order['agreed']['offer']>, 'slug'> | null;
  };
  readonly payment: Pick<Order['payment'], 'refunded'>;
};

interface Common {
  readonly at: Instant;
  readonly ownerId: UserId;
  readonly isLive: boolean;
  readonly product: Pick<Product, 'id' | 'title' | 'slug'>;
}

/** Something that webhooks are told. Events about licenses say what the license is after them. */
export type Happening = {
  [Type in WebhookEventType]: Common & { readonly type: Type } & Facts[Type] &
    (Type extends `license.${string}` ? { readonly license: LicenseFacts } : object) &
    (Type extends `order.${string}` ? { readonly order: OrderFacts } : object) &
    (Type extends `subscription.${string}` ? { readonly subscription: Subscribed } : object);
}[WebhookEventType];
