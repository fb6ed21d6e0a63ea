import type { Event, EventType } from '../events/event.ts';
import type { DomainName } from '../licensing/domain-name.ts';
import { type Activation, type License, statusOf } from '../licensing/license.ts';
import type { LicenseKey } from '../licensing/license-key.ts';
import type { ReminderDays } from '../licensing/reminders.ts';
import type { Product } from '../marketplace/product.ts';
import type { Instant } from '../ports/clock.ts';
import type { Order } from '../purchases/order.ts';
import { subscribed } from '../purchases/subscription.ts';
import type { Happening } from './webhook-event.ts';

/** A license as it is after a change. */
export type ToldLicense = Pick<
  License,
  'key' | 'standing' | 'expiresAt' | 'maxDomains' | 'domainsUsed' | 'updatesUntil' | 'entitlements'
>;
/** A product as it is after a change. Its owner is the one who is told, also of its licenses. */
export type ToldProduct = Pick<Product, 'id' | 'title' | 'slug' | 'ownerId' | 'isLive'>;

type LicenseHappening = Extract<Happening, { license: object }>;
type AboutProduct = Pick<Happening, 'at' | 'ownerId' | 'isLive' | 'product'>;
type AboutLicense = AboutProduct & Pick<LicenseHappening, 'license'>;
type AboutOrder = AboutProduct & { readonly order: Order & { readonly parts: readonly Order[] } };

type OfLicense = (about: AboutLicense, event: Event) => Happening[];
type OfOrder = (about: AboutOrder) => Happening[];
type OfProduct = (about: AboutProduct, event: Event) => Happening[];

/** What webhooks are told of each change. */
const tellings = {
  'license.issued': { license: (about) => [{ ...about, type: 'license.issued' }] },
  // An import brings licenses that were issued elsewhere, and often a hundred thousand of them.
  'license.imported': 'nothing',
  'license.left_out': 'nothing',
  'license.activated': {
    license: (about, event) => [
      // A proven domain may have taken the slot of others.
      ...domainsIn(event, 'instead_of').map((domain) => ({ ...about, type: 'license.deactivated' as const, domain })),
      { ...about, type: 'license.activated', domain: domainIn(event, 'domain') },
    ],
  },
  'license.deactivated': {
    license: (about, event) =>
      removedDomains(event).map((domain) => ({ ...about, type: 'license.deactivated', domain })),
  },
  'license.domain_moved': {
    license: (about, event) => [
      {
        ...about,
        type: 'license.domain_moved',
        from: domainIn(event, 'domain'),
        to: domainIn(event, 'to'),
        fromEndsAt: Number(event.data.ends_at),
      },
    ],
  },
  'license.suspended': { license: (about, event) => [{ ...about, type: 'license.suspended', ...why(event) }] },
  'license.reinstated': { license: (about, event) => [{ ...about, type: 'license.reinstated', ...why(event) }] },
  'license.revoked': { license: (about, event) => [{ ...about, type: 'license.revoked', ...why(event) }] },
  'license.renewed': { license: (about, event) => [{ ...about, type: 'license.renewed', ...why(event) }] },
  'license.changed': 'nothing',
  'license.rotated': {
    license: (about, event) => [
      {
        ...about,
        type: 'license.rotated',
        formerKey: String(event.data.former_key) as LicenseKey,
        formerEndsAt: Number(event.data.former_valid_until),
      },
    ],
  },
  'license.leak_suspected': {
    license: (about, event) => [
      { ...about, type: 'license.leak_suspected', domains: String(event.data.domains).split(' ') },
    ],
  },
  'license.clock_set': 'nothing',
  'license.alias_added': 'nothing',
  'license.alias_removed': 'nothing',
  'product.added': 'nothing',
  'product.published': 'nothing',
  'product.approved': { product: (about) => [{ ...about, type: 'product.approved' }] },
  'product.rejected': { product: (about, event) => [{ ...about, type: 'product.rejected', ...why(event) }] },
  'product.unlisted': 'nothing',
  'product.relisted': 'nothing',
  'product.resubmitted': 'nothing',
  'product.archived': 'nothing',
  'product.changed': 'nothing',
  'product.version_added': 'nothing',
  'product.version_deleted': 'nothing',
  'product.template_set': 'nothing',
  'product.question_asked': 'nothing',
  'rating.written': 'nothing',
  'rating.changed': 'nothing',
  'rating.withdrawn': 'nothing',
  'rating.replied': 'nothing',
  'rating.reported': 'nothing',
  'rating.hidden': 'nothing',
  'rating.shown': 'nothing',
  'template.added': 'nothing',
  'template.updated': 'nothing',
  'purchase.added': 'nothing',
  'order.added': 'nothing',
  'order.paid': { order: (about) => [{ ...about, type: 'order.paid' }] },
  'order.refunded': { order: (about) => [{ ...about, type: 'order.refunded' }] },
  'order.disputed': { order: (about) => [{ ...about, type: 'order.disputed' }] },
  'order.changed': 'nothing',
  'order.refund_asked': 'nothing',
  'order.return_undone': 'nothing',
  'order.payment_claimed': 'nothing',
  'order.claim_taken': 'nothing',
  'order.claim_rejected': 'nothing',
  'order.accepted': 'nothing',
  'order.letter_sent': 'nothing',
  'order.claimed': 'nothing',
  'order.billing_changed': 'nothing',
  'subscription.started': { order: (about) => ofSubscription(about, 'subscription.started') },
  'subscription.changed': { order: (about) => ofSubscription(about, 'subscription.changed') },
  'subscription.payment_failed': { order: (about) => ofSubscription(about, 'subscription.payment_failed') },
  'subscription.cancelled': { order: (about) => ofSubscription(about, 'subscription.cancelled') },
  'subscription.resumed': { order: (about) => ofSubscription(about, 'subscription.resumed') },
  'subscription.ended': { order: (about) => ofSubscription(about, 'subscription.ended') },
  'user.added': 'nothing',
  'user.tier_set': 'nothing',
  'user.suspended': 'nothing',
  'user.reinstated': 'nothing',
  'user.role_set': 'nothing',
  'user.selling_set': 'nothing',
  'user.seller_page_saved': 'nothing',
  'user.invoice_profile_saved': 'nothing',
  'user.wallet_proved': 'nothing',
  'user.wallet_removed': 'nothing',
  'user.licenses_checked': 'nothing',
  'user.invited': 'nothing',
  'user.signed_in': 'nothing',
  'user.sessions_ended': 'nothing',
  'user.password_set': 'nothing',
  'user.password_rehashed': 'nothing',
  'user.email_changed': 'nothing',
  'user.renamed': 'nothing',
  'user.second_factor_on': 'nothing',
  'user.second_factor_off': 'nothing',
  'user.recovery_codes_made': 'nothing',
  'key.created': 'nothing',
  'key.rotated': 'nothing',
  'key.revoked': 'nothing',
  'lease_key.rotated': 'nothing',
  'device.approved': 'nothing',
  'device.denied': 'nothing',
  'coupon.added': 'nothing',
  'coupon.ended': 'nothing',
  'webhook.added': 'nothing',
  'webhook.changed': 'nothing',
  'webhook.removed': 'nothing',
  'webhook.secret_rotated': 'nothing',
  'webhook.secret_shown': 'nothing',
  'webhook.tested': 'nothing',
  'webhook.redelivered': 'nothing',
  'webhook.replayed': 'nothing',
  'mail.tested': 'nothing',
  'mail.retried': 'nothing',
  'setting.changed': 'nothing',
} as const satisfies Record<
  EventType,
  { license: OfLicense } | { product: OfProduct } | { order: OfOrder } | 'nothing'
>;

function ofSubscription(
  { order, ...about }: AboutOrder,
  type: Extract<Happening, { subscription: object }>['type'],
): Happening[] {
  const subscription = subscribed(order);
  return subscription === undefined ? [] : [{ ...about, type, subscription }];
}

/** Whether webhooks are told of changes of this kind. */
export function isTold(type: EventType): boolean {
  return tellings[type] !== 'nothing';
}

/** What webhooks are told of a change of a license. */
export function happeningsOfLicense(event: Event, license: ToldLicense, product: ToldProduct): Happening[] {
  const telling = tellings[event.type];
  const about = aboutLicense(license, product, event.at);
  if (telling === 'nothing' || !('license' in telling) || about === undefined) return [];
  return telling.license(about, event);
}

/** What webhooks are told of a change of a product. */
export function happeningsOfProduct(event: Event, product: ToldProduct): Happening[] {
  const telling = tellings[event.type];
  const about = aboutProduct(product, event.at);
  if (telling === 'nothing' || !('product' in telling) || about === undefined) return [];
  return telling.product(about, event);
}

/** What webhooks are told of a change of an order. `parts`: those of the order. */
export function happeningsOfOrder(
  event: Event,
  order: Order,
  parts: readonly Order[],
  product: ToldProduct,
): Happening[] {
  const telling = tellings[event.type];
  const about = aboutProduct(product, event.at);
  if (telling === 'nothing' || !('order' in telling) || about === undefined) return [];
  return telling.order({ ...about, order: { ...order, parts } });
}

/** What webhooks are told of a license whose time is over soon. */
export function toldOfEnd(
  license: ToldLicense,
  product: ToldProduct,
  daysLeft: ReminderDays,
  now: Instant,
): Happening[] {
  const about = aboutLicense(license, product, now);
  return about === undefined ? [] : [{ ...about, type: 'license.expiring', daysLeft }];
}

/** What webhooks are told of a license whose time is over. */
export function toldOfExpiry(license: ToldLicense, product: ToldProduct): Happening[] {
  const about = license.expiresAt === null ? undefined : aboutLicense(license, product, license.expiresAt);
  return about === undefined ? [] : [{ ...about, type: 'license.expired' }];
}

/** What webhooks are told of a domain that was verified `count` times since the last time. */
export function verificationsOf(
  license: ToldLicense,
  product: ToldProduct,
  { domain, lastVerifiedAt }: Pick<Activation, 'domain' | 'lastVerifiedAt'>,
  count: number,
  now: Instant,
): Happening[] {
  const about = aboutLicense(license, product, now);
  if (about === undefined || lastVerifiedAt === null || count <= 0) return [];
  return [{ ...about, type: 'license.verified', domain, count, lastVerifiedAt }];
}

/** Nobody is told of the operator's own products. */
function aboutProduct({ ownerId, isLive, id, title, slug }: ToldProduct, at: Instant): AboutProduct | undefined {
  return ownerId === null ? undefined : { at, ownerId, isLive, product: { id, title, slug } };
}

function aboutLicense(license: ToldLicense, product: ToldProduct, at: Instant): AboutLicense | undefined {
  const about = aboutProduct(product, at);
  const { key, expiresAt, maxDomains, domainsUsed, updatesUntil, entitlements } = license;
  const facts = { key, status: statusOf(license, at), expiresAt, maxDomains, domainsUsed, updatesUntil, entitlements };
  return about && { ...about, license: facts };
}

function why({ reason }: Event) {
  return { reason: reason ?? '' };
}

/** Reads a domain that the change itself wrote. */
function domainIn({ data }: Event, name: 'domain' | 'to'): DomainName {
  return String(data[name]) as DomainName;
}

/** A host that was removed with another one is named in `also`. */
function removedDomains(event: Event): DomainName[] {
  return [domainIn(event, 'domain'), ...domainsIn(event, 'also')];
}

/** Reads domains that the change itself wrote, with blanks between them. */
function domainsIn({ data }: Event, name: 'also' | 'instead_of'): DomainName[] {
  return String(data[name] ?? '')
    .split(' ')
    .filter(Boolean)
    .map((one) => one as DomainName);
}
