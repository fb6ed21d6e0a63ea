import { invoiceNumberOf, noteNumberOf } from '../core/invoices/invoice.ts';
import { iso } from '../core/iso.ts';
import type { Instant } from '../core/ports/clock.ts';
import { isBundle } from '../core/purchases/order.ts';
import type { Subscribed } from '../core/purchases/subscription.ts';
import type { Happening, OrderPartFacts } from '../core/webhooks/webhook-event.ts';

/** Returns the text that is sent about an event (spec: Events). `id` is the same in all attempts, at all endpoints. */
export function bodyOf(happening: Happening, id: string): string {
  const { type, at, isLive } = happening;
  return JSON.stringify({ id, event: type, timestamp: iso(at), livemode: isLive, data: dataOf(happening) });
}

type LicenseHappening = Extract<Happening, { license: object }>;

function dataOf(happening: Happening): object {
  switch (happening.type) {
    case 'license.issued':
    case 'license.expired':
      return ofLicense(happening);
    case 'license.activated':
    case 'license.deactivated':
      return { ...ofLicense(happening), domain: happening.domain };
    case 'license.domain_moved': {
      const { from, to, fromEndsAt } = happening;
      return { ...ofLicense(happening), from, to, from_ends_at: iso(fromEndsAt) };
    }
    case 'license.suspended':
    case 'license.reinstated':
    case 'license.revoked':
    case 'license.renewed':
      return { ...ofLicense(happening), reason: happening.reason };
    case 'license.rotated': {
      const { formerKey, formerEndsAt } = happening;
      return { ...ofLicense(happening), former_key: formerKey, former_valid_until: iso(formerEndsAt) };
    }
    case 'license.leak_suspected':
      return { ...ofLicense(happening), domains: [...happening.domains] };
    case 'license.expiring':
      return { ...ofLicense(happening), days_left: happening.daysLeft };
    case 'license.verified': {
      const { domain, count, lastVerifiedAt } = happening;
      return { ...ofLicense(happening), domain, count, last_verified_at: iso(lastVerifiedAt) };
    }
    case 'order.paid':
    case 'order.refunded':
    case 'order.disputed':
      return ofOrder(happening);
    case 'subscription.started':
    case 'subscription.changed':
    case 'subscription.payment_failed':
    case 'subscription.cancelled':
    case 'subscription.resumed':
    case 'subscription.ended':
      return { ...ofSubscription(happening.subscription), product: ofProduct(happening) };
    case 'product.approved':
      return { status: 'published', product: ofProduct(happening) };
    case 'product.rejected':
      return { status: 'rejected', reason: happening.reason, product: ofProduct(happening) };
  }
}

function ofLicense({ license, ...more }: LicenseHappening) {
  return {
    license_key: license.key,
    status: license.status,
    domains_used: license.domainsUsed,
    max_domains: license.maxDomains,
    expires_at: isoOrNull(license.expiresAt),
    updates_until: isoOrNull(license.updatesUntil),
    entitlements: license.entitlements,
    product: ofProduct(more),
  };
}

function ofOrder({ order, ...more }: Extract<Happening, { order: object }>) {
  const { agreed, payment, buyer } = order;
  return {
    order_id: order.id,
    status: order.state,
    invoice_number: order.number,
    invoice: invoiceNumberOf(order) ?? null,
    credit_notes: order.creditNotes.map((note) => ({
      number: noteNumberOf(order, note),
      kind: note.kind,
      reason: note.reason,
      amount: note.amount,
    })),
    provider: order.provider,
    amount: payment.total,
    amount_refunded: payment.refunded,
    currency: payment.currency,
    discount: agreed.discount ? { coupon: agreed.discount.code, amount: agreed.discount.amount } : null,
    dispute: payment.dispute,
    buyer: { email: buyer.email, name: buyer.name },
    license_key: order.licenseKey,
    renews: order.renews,
    parts: isBundle(order) ? order.parts.map(ofPart) : null,
    product: ofProduct(more),
  };
}

/** The fields of a part of an order, in events and in the API. */
export function ofPart({ id, productId, agreed, state, licenseKey, payment }: OrderPartFacts) {
  return {
    id,
    product: { id: productId, title: agreed.title, slug: agreed.slug },
    offer: agreed.offer?.slug ?? null,
    status: state,
    license_key: licenseKey,
    price: agreed.price,
    amount_refunded: payment.refunded,
  };
}

/** The fields of a subscription, in events and in the API. */
export function ofSubscription(subscription: Subscribed) {
  const { id, provider, licenseKey, buyer } = subscription;
  return {
    subscription_id: id,
    ...termsOfSubscription(subscription),
    provider,
    license_key: licenseKey,
    buyer: { email: buyer.email, name: buyer.name },
  };
}

/** The fields that its buyer gets, too. */
export function termsOfSubscription(subscription: Subscribed) {
  const { status, isCancelled, paidTo, offer, nextOffer, price, currency, months } = subscription;
  return {
    ...{ status, is_cancelled: isCancelled, paid_until: iso(paidTo), offer, next_offer: nextOffer },
    ...{ amount: price, currency, interval_months: months },
  };
}

function ofProduct({ product: { id, title, slug } }: Pick<Happening, 'product'>) {
  return { id, title, slug };
}

function isoOrNull(at: Instant | null): string | null {
  return at === null ? null : iso(at);
}
