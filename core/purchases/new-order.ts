import type { Actor } from '../accounts/role.ts';
import type { Offer, OfferedAs } from '../marketplace/offers.ts';
import type { Product } from '../marketplace/product.ts';
import type { AgreedOffer, Buyer, Provider } from './order.ts';
import { unpaid } from './payment.ts';
import { currency } from './ways-to-pay.ts';

/** What an order agrees on if it is made of an offer. */
export function agreedOffer(offer: Offer | null): AgreedOffer | null {
  if (offer === null) return null;
  const { slug, name, kind, updatesMonths, entitlements, recurs } = offer;
  return { slug, name, kind, updatesMonths, entitlements, ...(recurs != null && { recurs }) };
}

/** Who buys: a member with the address of the account, or a guest. */
export function buyerOf({ email, name }: Pick<Buyer, 'email' | 'name'>, visitor: Actor | undefined): Buyer {
  return visitor?.kind === 'user'
    ? { userId: visitor.user.id, email: visitor.user.email, name }
    : { userId: null, email, name };
}

/** Makes an order of what is offered now. */
export function newOrder(
  { product, offer }: OfferedAs<Product>,
  provider: Provider,
  buyer: Buyer,
  token: string,
  now: number,
) {
  const { id, title, slug, price, terms, version, templateId, sellerName, isLive, ownerId } = product;
  return {
    token,
    provider,
    paymentId: null,
    intentId: null,
    isLive,
    productId: id,
    sellerId: ownerId,
    buyer,
    agreed: { title, slug, price, currency, terms, offer: agreedOffer(offer), version, templateId, sellerName },
    payment: unpaid(price, currency),
    state: 'open',
    isAccepted: false,
    licenseKey: null,
    renews: null,
    subscription: null,
    cycleOf: null,
    createdAt: now,
    paidAt: null,
    updatedAt: now,
  } as const;
}
