import { iso } from '../iso.ts';
import type { Instant } from '../ports/clock.ts';
import type { Happening } from './webhook-event.ts';

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
      return ofSubscription(happening);
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
  const { payment, buyer } = order;
  return {
    order_id: order.id,
    status: order.state,
    invoice_number: order.number,
    provider: order.provider,
    amount: payment.total,
    amount_refunded: payment.refunded,
    currency: payment.currency,
    dispute: payment.dispute,
    buyer: { email: buyer.email, name: buyer.name },
    license_key: order.licenseKey,
    renews: order.renews,
    product: ofProduct(more),
  };
}

function ofSubscription({ subscription, ...more }: Extract<Happening, { subscription: object }>) {
  const { buyer } = subscription;
  return {
    subscription_id: subscription.id,
    status: subscription.status,
    is_cancelled: subscription.isCancelled,
    paid_until: iso(subscription.paidTo),
    offer: subscription.offer,
    next_offer: subscription.nextOffer,
    amount: subscription.price,
    currency: subscription.currency,
    interval_months: subscription.months,
    provider: subscription.provider,
    license_key: subscription.licenseKey,
    buyer: { email: buyer.email, name: buyer.name },
    product: ofProduct(more),
  };
}

function ofProduct({ product: { id, title, slug } }: Pick<Happening, 'product'>) {
  return { id, title, slug };
}

function isoOrNull(at: Instant | null): string | null {
  return at === null ? null : iso(at);
}
