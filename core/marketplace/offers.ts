import { type Refused, refuse } from '../refusal.ts';
import type { Product } from './product.ts';
import type { Duration } from './product-terms.ts';

/** How an offer is paid: once. */
export const offerKinds = ['once'] as const;
export type OfferKind = (typeof offerKinds)[number];

/** One of several prices of a product, with the terms of the licenses that are sold for it. */
export interface Offer {
  /** Unique in the product. It never changes, because links contain it. */
  readonly slug: string;
  readonly name: string;
  readonly kind: OfferKind;
  /** In US cents, as the price of a product; 0 is free. */
  readonly price: number;
  /** The domains of a license: 1 to 1,000,000. */
  readonly maxDomains: number;
  readonly duration: Duration;
  /** The months after the sale in which a license gets new releases. `null`: as long as it is valid. */
  readonly updatesMonths: number | null;
  /** In the form of `License`. */
  readonly entitlements: readonly string[];
  /** Whether the page of the product shows it. An offer that is not listed is bought by its link. */
  readonly isListed: boolean;
}

/** What a seller can change of an offer. */
export type OfferEdit = { readonly [Name in keyof Omit<Offer, 'slug' | 'kind'>]?: Offer[Name] | undefined };

export const offerLimits = { offers: 20, slug: 40, name: 60, months: 1_200 } as const;

/** Whether an offer can have this slug: lower-case letters and digits, with single hyphens between them. */
export function isOfferSlug(text: string): boolean {
  return text.length <= offerLimits.slug && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}

/** Adds an offer at a place, which counts from 1, or as the last one. */
export function withOffer(
  offers: readonly Offer[],
  added: Offer,
  position: number | undefined,
): readonly Offer[] | Refused<'too_many_offers' | 'offer_exists'> {
  if (offers.length >= offerLimits.offers) {
    return refuse('too_many_offers', `A product has at most ${offerLimits.offers} offers.`);
  }
  if (offers.some(({ slug }) => slug === added.slug)) {
    return refuse('offer_exists', `The product already has an offer ${added.slug}.`);
  }
  return placed(offers, added, position ?? offers.length + 1);
}

/** Changes the given fields of an offer, and its place. */
export function withChangedOffer(
  offers: readonly Offer[],
  slug: string,
  edit: OfferEdit,
  position: number | undefined,
): readonly Offer[] | Refused<'offer_not_found'> {
  const index = offers.findIndex((one) => one.slug === slug);
  const before = offers[index];
  if (before === undefined) return unknownOffer(slug);
  const given = Object.entries(edit).filter(([, value]) => value !== undefined);
  const after: Offer = { ...before, ...Object.fromEntries(given) };
  return placed(without(offers, slug), after, position ?? index + 1);
}

/** Orders keep what they agreed on, so any offer can be removed. */
export function withoutOffer(offers: readonly Offer[], slug: string): readonly Offer[] | Refused<'offer_not_found'> {
  return offers.some((one) => one.slug === slug) ? without(offers, slug) : unknownOffer(slug);
}

function without(offers: readonly Offer[], slug: string): Offer[] {
  return offers.filter((one) => one.slug !== slug);
}

/** A place beyond the end is the last one. */
function placed(others: readonly Offer[], offer: Offer, position: number): readonly Offer[] {
  return others.toSpliced(position - 1, 0, offer);
}

function unknownOffer(slug: string): Refused<'offer_not_found'> {
  return refuse('offer_not_found', `The product has no offer ${slug}.`);
}

/** The offers from which every buyer can choose. */
export function listedOffers({ offers }: Pick<Product, 'offers'>): readonly Offer[] {
  return offers.filter(({ isListed }) => isListed);
}

/** The prices from which every buyer can choose: one at least. Without a listed offer, the product has its own price. */
export function pricesOf(product: Pick<Product, 'price' | 'offers'>): readonly number[] {
  const listed = listedOffers(product);
  return listed.length === 0 ? [product.price] : listed.map(({ price }) => price);
}

/** The lowest price of a product, and the highest. */
export function priceRange(product: Pick<Product, 'price' | 'offers'>): {
  readonly lowest: number;
  readonly highest: number;
} {
  const prices = pricesOf(product);
  return { lowest: Math.min(...prices), highest: Math.max(...prices) };
}

/** A product with the price and terms of one of its offers. `offer` is `null` for its own price and terms. */
export interface OfferedAs<P> {
  readonly product: P;
  readonly offer: Offer | null;
}

/**
 * Returns the product as it is sold by an offer. Without `slug`, it is the first listed offer; or, if none is listed, the
 * product with its own price and terms. `undefined` if it has no such offer.
 */
export function offeredAs<P extends Pick<Product, 'price' | 'terms' | 'offers'>>(
  product: P,
  slug: string | undefined,
): OfferedAs<P> | undefined {
  const offer =
    slug === undefined ? (listedOffers(product)[0] ?? null) : product.offers.find((one) => one.slug === slug);
  if (offer === undefined) return undefined;
  if (offer === null) return { product, offer };
  const { price, maxDomains, duration } = offer;
  return { product: { ...product, price, terms: { ...product.terms, maxDomains, duration } }, offer };
}

/** Returns the product as the cheapest listed offer sells it; or, if none is listed, as it is. */
export function atLowestPrice<P extends Pick<Product, 'price' | 'terms' | 'offers'>>(product: P): P {
  const { lowest } = priceRange(product);
  const cheapest = listedOffers(product).find(({ price }) => price === lowest);
  return (cheapest && offeredAs(product, cheapest.slug)?.product) ?? product;
}
