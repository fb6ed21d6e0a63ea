import { toOrderId, toProductId, type UserId } from '../id.ts';
import { type DomainName, normalizeDomain } from '../licensing/domain-name.ts';
import { monthsAfter } from '../licensing/ends.ts';
import { mintLicenseKey } from '../licensing/license-key.ts';
import type { OfferedAs } from '../marketplace/offers.ts';
import type { Product } from '../marketplace/product.ts';
import { defaultTerms } from '../marketplace/product-terms.ts';
import type { Instant } from '../ports/clock.ts';
import { inBundle } from '../purchases/new-order.ts';
import type { OrderState } from '../purchases/order.ts';
import { unpaid } from '../purchases/payment.ts';
import type { Subscribed } from '../purchases/subscription.ts';
import { day } from '../time.ts';
import type { Happening, OrderPartFacts, WebhookEventType } from './webhook-event.ts';

/** The product that samples of sellers without a product tell about. */
const invented = { id: toProductId(0), title: 'Sample product', slug: 'sample-product', terms: defaultTerms };
/** A key that no license has: all its characters are zeros. */
const key = mintLicenseKey({ bytes: (count) => new Uint8Array(count) });
/** Another one: all its characters but the last are ones. */
const formerKey = mintLicenseKey({ bytes: (count) => new Uint8Array(count).fill(1) });
const domain = domainOf('app.example.com');
const newDomain = domainOf('new.example.com');
const reason = 'This is a sample.';
const price = 4_900;
const buyer = { userId: null, email: 'buyer@example.com', name: 'Sample Buyer' };

/** What a sample is made from. */
interface SampleFacts {
  readonly type: WebhookEventType;
  readonly ownerId: UserId;
  readonly isLive: boolean;
  readonly product: Pick<Product, 'id' | 'title' | 'slug' | 'terms'> | undefined;
  /** Of a bundle: the products in it. Only orders and reviews are about the bundle itself. */
  readonly contents?: readonly OfferedAs<Product>[];
  readonly at: Instant;
}

/** Returns an event as it could happen to this product and a license of it. There is no such license, and no such order. */
export function sampleOf(facts: SampleFacts): Happening {
  const { type, ownerId, isLive, contents = [], at } = facts;
  const [inside] = contents;
  const isOfLicense = type.startsWith('license.') || type.startsWith('subscription.');
  const product = (isOfLicense ? inside?.product : undefined) ?? facts.product ?? invented;
  const { id, title, slug, terms } = product;
  const common = { at, ownerId, isLive, product: { id, title, slug } };
  const fresh = {
    key,
    status: 'active',
    domainsUsed: 0,
    maxDomains: terms.maxDomains,
    expiresAt: terms.duration === null ? null : at + terms.duration.days * day,
    updatesUntil: null,
    entitlements: [],
  } as const;
  const license = { ...fresh, domainsUsed: 1 };
  const payment = { ...unpaid(price, 'usd'), status: 'paid' } as const;
  const order = {
    id: toOrderId(0),
    number: 1,
    provider: 'stripe',
    state: 'paid',
    buyer,
    licenseKey: inside === undefined ? key : null,
    renews: null,
    agreed: inside === undefined ? {} : inBundle(price, 'usd', contents),
    parts: partsIn(contents, 'paid'),
    invoice: null,
    creditNotes: [],
    payment,
  } as const;
  const subscription: Subscribed = {
    ...{ id: order.id, provider: order.provider, buyer, licenseKey: key, price, currency: 'usd', months: 1 },
    ...{ offer: 'monthly', nextOffer: null, status: 'active', isCancelled: false, paidTo: monthsAfter(1, at) },
  };
  switch (type) {
    case 'license.issued':
      return { ...common, type, license: fresh };
    case 'license.activated':
      return { ...common, type, license, domain };
    case 'license.deactivated':
      return { ...common, type, license: fresh, domain };
    case 'license.domain_moved':
      return { ...common, type, license, from: domain, to: newDomain, fromEndsAt: at };
    case 'license.suspended':
      return { ...common, type, license: { ...license, status: 'suspended' }, reason };
    case 'license.revoked':
      return { ...common, type, license: { ...license, status: 'revoked' }, reason };
    case 'license.reinstated':
    case 'license.renewed':
      return { ...common, type, license, reason };
    case 'license.rotated':
      return { ...common, type, license, formerKey, formerEndsAt: at + 7 * day };
    case 'license.leak_suspected':
      return { ...common, type, license, domains: ['copy.example.net', 'copy.example.org', 'example.shop'] };
    case 'license.expiring':
      return { ...common, type, license: { ...license, expiresAt: at + 7 * day }, daysLeft: 7 };
    case 'license.expired':
      return { ...common, type, license: { ...license, status: 'expired', expiresAt: at } };
    case 'license.verified':
      return { ...common, type, license, domain, count: 3, lastVerifiedAt: at };
    case 'order.paid':
      return { ...common, type, order };
    case 'order.refunded': {
      // Of a bundle, one product is refunded: one that is not free.
      const paid = order.parts.find(({ agreed }) => agreed.price > 0);
      if (paid === undefined) {
        return { ...common, type, order: { ...order, state: 'refunded', payment: { ...payment, refunded: price } } };
      }
      const refunded = paid.agreed.price;
      const part = { ...paid, state: 'refunded', payment: { refunded } } as const;
      const parts = order.parts.map((one) => (one === paid ? part : one));
      return {
        ...common,
        type,
        order: { ...order, state: 'partly_refunded', parts, payment: { ...payment, refunded } },
      };
    }
    case 'order.disputed': {
      const parts = partsIn(contents, 'disputed');
      return {
        ...common,
        type,
        order: { ...order, state: 'disputed', parts, payment: { ...payment, dispute: 'open' } },
      };
    }
    case 'subscription.started':
    case 'subscription.changed':
    case 'subscription.resumed':
      return { ...common, type, subscription };
    case 'subscription.payment_failed':
      return { ...common, type, subscription: { ...subscription, status: 'past_due', paidTo: at } };
    case 'subscription.cancelled':
      return { ...common, type, subscription: { ...subscription, isCancelled: true } };
    case 'subscription.ended':
      return { ...common, type, subscription: { ...subscription, status: 'ended', isCancelled: true, paidTo: at } };
    case 'product.approved':
      return { ...common, type };
    case 'product.rejected':
      return { ...common, type, reason };
  }
}

/** The parts of the order of a bundle, each with a key that no license has. */
function partsIn(contents: readonly OfferedAs<Product>[], state: OrderState): readonly OrderPartFacts[] {
  const { bundle = [] } = inBundle(price, 'usd', contents.length === 0 ? undefined : contents);
  return bundle.map(({ productId, title, slug, price }, index) => ({
    id: toOrderId(0),
    productId,
    state,
    licenseKey: mintLicenseKey({ bytes: (count) => new Uint8Array(count).fill(index + 2) }),
    agreed: { title, slug, price, offer: contents[index]?.offer ?? null },
    payment: { refunded: 0 },
  }));
}

function domainOf(host: string): DomainName {
  const name = normalizeDomain(host);
  if (name === undefined) throw new Error(`${host} is no host.`);
  return name;
}
