import type { Actor } from '../accounts/role.ts';
import { stepOf } from '../currency.ts';
import type { BillingDetails } from '../invoices/billing-details.ts';
import type { Offer, OfferedAs } from '../marketplace/offers.ts';
import type { Product } from '../marketplace/product.ts';
import type { NewOrder, NewOrderPart } from '../ports/order-store.ts';
import { split } from '../split.ts';
import type { Agreed, AgreedOffer, Buyer, Provider } from './order.ts';
import { unpaid } from './payment.ts';

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

/** What is sold. `contents`: of a bundle, the products in it. */
export interface Sold extends OfferedAs<Product> {
  readonly contents?: readonly OfferedAs<Product>[] | undefined;
}

/** Makes an order of what is offered now. */
export function newOrder(
  { product, offer, currency, suggested, contents }: Sold,
  provider: Provider,
  { buyer, billing = null }: { readonly buyer: Buyer; readonly billing?: BillingDetails | null },
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
    billing,
    agreed: {
      ...{ title, slug, price, currency, terms, offer: agreedOffer(offer), version, templateId, sellerName },
      ...(suggested !== undefined && { suggested }),
      ...inBundle(price, currency, contents),
    },
    payment: unpaid(price, currency),
    state: 'open',
    isAccepted: false,
    licenseKey: null,
    renews: null,
    subscription: null,
    cycleOf: null,
    partOf: null,
    createdAt: now,
    paidAt: null,
    updatedAt: now,
  } as const;
}

/** Returns what an order of a bundle contains, each product with a share of the price by what it costs alone. */
export function inBundle(price: number, currency: string, contents: Sold['contents']): Pick<Agreed, 'bundle'> {
  const step = stepOf(currency);
  if (contents === undefined) return {};
  const shares = split(
    price / step,
    contents.map(({ product }) => product.price),
  );
  const bundle = contents.map(({ product: { id, title, slug }, offer }, index) => ({
    ...{ productId: id, title, slug, offer: offer?.name ?? null },
    price: (shares[index] ?? 0) * step,
  }));
  return { bundle };
}

/** Returns the parts of a new order of a bundle, one for each product. */
export function newParts(
  order: NewOrder,
  contents: readonly OfferedAs<Product>[],
  newToken: () => string,
): readonly NewOrderPart[] {
  const { bundle = [], currency, sellerName } = order.agreed;
  return contents.map(({ product, offer }, index) => {
    const { id: productId, title, slug, terms, version, templateId } = product;
    const price = bundle[index]?.price ?? 0;
    const { partOf: _, ...same } = order;
    return {
      ...same,
      token: newToken(),
      productId,
      agreed: { title, slug, price, currency, terms, offer: agreedOffer(offer), version, templateId, sellerName },
      payment: unpaid(price, currency),
    };
  });
}
