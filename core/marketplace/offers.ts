import { baseCurrency } from '../currency.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { checkedPrices, currenciesOf, leastOf, type Priced, type PriceList, priceIn } from './price-list.ts';
import type { Product } from './product.ts';
import type { Duration } from './product-terms.ts';

/**
 * What an offer sells. `once`: a license, paid once. `trial`: a license for a limited time, for nothing, which can be bought
 * with its key and domains kept. `renewal`: more time for a license. `upgrade`: other terms for a license, for the price less
 * the unused part of what was paid for it. `subscription`: a license that is paid again for each period.
 */
export const offerKinds = ['once', 'subscription', 'trial', 'renewal', 'upgrade'] as const;
export type OfferKind = (typeof offerKinds)[number];

/** Which of them change a license that was sold before. */
export const changesLicense = {
  once: false,
  subscription: false,
  trial: false,
  renewal: true,
  upgrade: true,
} as const satisfies Record<OfferKind, boolean>;

/** Whether buyers can choose the price. A subscription keeps one price, which others are compared with. */
const hasChoice = {
  once: true,
  subscription: false,
  trial: false,
  renewal: true,
  upgrade: true,
} as const satisfies Record<OfferKind, boolean>;

export const mostGraceDays = 90;

/** How a subscription goes on. */
export interface Recurrence {
  /** The months that each payment pays: 1 to 36. */
  readonly months: number;
  /** The days after the end of the paid time in which the license still works, if the next payment is late: 1 to 90, see `mostGraceDays`. */
  readonly graceDays: number;
  /** After so many paid months, the license never expires, whatever comes then. `null`: it always expires without payments. */
  readonly perpetualAfter: number | null;
}

/** One of several prices of a product, with the terms of the licenses that are sold for it. */
export interface Offer {
  /** Unique in the product. It never changes, because links contain it. */
  readonly slug: string;
  readonly name: string;
  readonly kind: OfferKind;
  /** In US cents, as the price of a product; 0 is free. A trial is free, a renewal and an upgrade are not. */
  readonly price: number;
  /** In other currencies. */
  readonly prices?: PriceList | null | undefined;
  /** See `Priced`. Not of a trial or a subscription. */
  readonly leastPrices?: PriceList | null | undefined;
  /** The domains of a license: 1 to 1,000,000. A renewal leaves them as they are. */
  readonly maxDomains: number;
  /** A renewal adds it; without one, it adds only updates. A trial has one. */
  readonly duration: Duration;
  /** The months after the sale in which a license gets new releases. `null`: as long as it is valid. */
  readonly updatesMonths: number | null;
  /** In the form of `License`. A renewal leaves them as they are. */
  readonly entitlements: readonly string[];
  /**
   * Whether buyers are shown it: on the page of the product, or on that of their order if it changes a license. An offer that
   * is not listed is bought by its link.
   */
  readonly isListed: boolean;
  /** Only for a renewal or an upgrade: the slug of the offer that a license must have been bought by. Any without it. */
  readonly fromOffer?: string | null | undefined;
  /** Only of a subscription. */
  readonly recurs?: Recurrence | null | undefined;
}

/** What a seller can change of an offer. */
export type OfferEdit = {
  readonly [Name in keyof Omit<Offer, 'slug' | 'kind' | 'recurs'>]?: Offer[Name] | undefined;
} & {
  /** Only of a subscription. */
  readonly recurs?: { readonly [Name in keyof Recurrence]?: Recurrence[Name] | undefined } | undefined;
};

/** Returns an offer that can be sold, or a refusal that says what is wrong. `others` are the offers beside it. */
function checkedOffer(
  { prices: listed, leastPrices, ...given }: Offer,
  others: readonly Offer[],
): Offer | Refused<'invalid_offer'> {
  const { kind, price, duration, updatesMonths, fromOffer, recurs } = given;
  const wrong = (detail: string) => refuse('invalid_offer', detail);
  if (leastPrices != null && !hasChoice[kind]) {
    return wrong('Buyers cannot choose the price of a trial or a subscription: remove its least price.');
  }
  const checked = checkedPrices({ price, prices: listed, leastPrices });
  if (isRefused(checked)) return wrong(checked.detail ?? '');
  const { prices, leastPrices: least } = checked;
  const offer = {
    ...given,
    ...(Object.keys(prices).length > 0 && { prices }),
    ...(least !== null && { leastPrices: least }),
  };
  if (kind === 'trial' && price > 0) return wrong('A trial is free: its price must be 0.');
  if (kind === 'trial' && duration === null) return wrong('A trial must end: give it a number of days.');
  if (changesLicense[kind] && price === 0) return wrong('A renewal or an upgrade has a price.');
  if (changesLicense[kind] && Object.values(least ?? {}).includes(0)) {
    return wrong('A renewal or an upgrade has a price: its least price must be more than 0.');
  }
  if (kind === 'renewal' && duration === null && updatesMonths === null) {
    return wrong('A renewal must add days, months of updates, or both.');
  }
  if ((kind === 'subscription') !== (recurs != null)) return wrong('A subscription, and only that, has an interval.');
  if (kind === 'subscription' && price === 0) return wrong('A subscription has a price.');
  if (kind === 'subscription' && (duration !== null || updatesMonths !== null)) {
    return wrong('A subscription has no days and no months of updates of its own: each payment pays both.');
  }
  if (fromOffer == null) return offer;
  if (!changesLicense[kind]) return wrong('Only a renewal or an upgrade is for licenses of another offer.');
  const from = others.find(({ slug }) => slug === fromOffer);
  if (from === undefined || from.kind === 'renewal')
    return wrong(`The product sells no licenses by an offer ${fromOffer}.`);
  return offer;
}

/** `interval`: the most months that one payment of a subscription pays. Stripe allows no more. */
export const offerLimits = { offers: 20, slug: 40, name: 60, months: 1_200, interval: 36 } as const;

/** What a subscription has if its seller says nothing else. */
export const usualRecurrence: Recurrence = { months: 1, graceDays: 7, perpetualAfter: null };

/** Whether an offer can have this slug: lower-case letters and digits, with single hyphens between them. */
export function isOfferSlug(text: string): boolean {
  return text.length <= offerLimits.slug && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}

/** Adds an offer at a place, which counts from 1, or as the last one. */
export function withOffer(
  offers: readonly Offer[],
  added: Offer,
  position: number | undefined,
): readonly Offer[] | Refused<'too_many_offers' | 'offer_exists' | 'invalid_offer'> {
  if (offers.length >= offerLimits.offers) {
    return refuse('too_many_offers', `A product has at most ${offerLimits.offers} offers.`);
  }
  if (offers.some(({ slug }) => slug === added.slug)) {
    return refuse('offer_exists', `The product already has an offer ${added.slug}.`);
  }
  const checked = checkedOffer(added, offers);
  return isRefused(checked) ? checked : placed(offers, checked, position ?? offers.length + 1);
}

/** Changes the given fields of an offer, and its place. */
export function withChangedOffer(
  offers: readonly Offer[],
  slug: string,
  edit: OfferEdit,
  position: number | undefined,
): readonly Offer[] | Refused<'offer_not_found' | 'invalid_offer'> {
  const index = offers.findIndex((one) => one.slug === slug);
  const before = offers[index];
  if (before === undefined) return unknownOffer(slug);
  const others = without(offers, slug);
  const { recurs, ...rest } = edit;
  const recurring = given(recurs ?? {});
  const isWrong = before.recurs == null && Object.values(recurring).some((value) => value !== null);
  const all = isWrong || before.recurs ? { recurs: { ...before.recurs, ...recurring } as Recurrence } : {};
  const after = checkedOffer({ ...before, ...given(rest), ...all }, others);
  return isRefused(after) ? after : placed(others, after, position ?? index + 1);
}

function given<T extends object>(edit: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined)) as object;
}

/** Orders keep what they agreed on, so an offer can be removed if no other one is for its licenses. */
export function withoutOffer(
  offers: readonly Offer[],
  slug: string,
): readonly Offer[] | Refused<'offer_not_found' | 'offer_needed'> {
  if (!offers.some((one) => one.slug === slug)) return unknownOffer(slug);
  const needing = offers.find(({ fromOffer }) => fromOffer === slug);
  if (needing === undefined) return without(offers, slug);
  return refuse(
    'offer_needed',
    `The offer ${needing.slug} is for licenses of this one. Change or remove that one first.`,
  );
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

/** The offers from which every buyer can choose, besides a trial. */
export function listedOffers({ offers }: Pick<Product, 'offers'>): readonly Offer[] {
  return offers.filter(({ isListed, kind }) => isListed && (kind === 'once' || kind === 'subscription'));
}

/** The trial that everybody is offered: the first one. */
export function trialOf({ offers }: Pick<Product, 'offers'>): Offer | undefined {
  return offers.find(({ isListed, kind }) => isListed && kind === 'trial');
}

/** The parts of a product that say how it is sold. */
export type Sellable = Pick<Product, 'price' | 'prices' | 'leastPrices' | 'terms' | 'offers'>;

/** The lowest price that every buyer can pay for a product, and the highest one of its seller. */
export function priceRange(product: Pick<Product, 'price' | 'leastPrices' | 'offers'>): {
  readonly lowest: number;
  readonly highest: number;
} {
  const listed = listedOffers(product);
  // Without a listed offer, the product has its own price.
  const sold: readonly Priced[] = listed.length === 0 ? [product] : listed;
  return { lowest: Math.min(...sold.map(leastOf)), highest: Math.max(...sold.map(({ price }) => price)) };
}

/** A product with the price and terms of one of its offers. `offer` is `null` for its own price and terms. */
export interface OfferedAs<P> {
  readonly product: P;
  readonly offer: Offer | null;
  /** The currency of both prices. */
  readonly currency: string;
  /** Only if the buyer has chosen both prices: the one that was suggested. */
  readonly suggested?: number | undefined;
}

/**
 * Returns the product as a license of it is sold by an offer. Without `slug`, it is the first listed offer; or, if none is
 * listed, the product with its own price and terms. `undefined` if it has no such offer, or that changes a license.
 */
export function offeredAs<P extends Sellable>(product: P, slug: string | undefined): OfferedAs<P> | undefined {
  const offer =
    slug === undefined ? (listedOffers(product)[0] ?? null) : product.offers.find((one) => one.slug === slug);
  if (offer === undefined || (offer !== null && changesLicense[offer.kind])) return undefined;
  return offer === null ? { product, offer, currency: baseCurrency } : soldBy(product, offer);
}

/** Returns the product with the price and terms of one of its offers. */
export function soldBy<P extends Pick<Product, 'price' | 'prices' | 'leastPrices' | 'terms'>>(
  product: P,
  offer: Offer,
): OfferedAs<P> {
  const { price, prices = null, leastPrices = null, maxDomains, duration } = offer;
  const terms = { ...product.terms, maxDomains, duration };
  const sold = { ...product, price, prices: prices ?? {}, leastPrices, terms };
  return { product: sold, offer, currency: baseCurrency };
}

/**
 * Returns what is sold with its prices in another currency than the base currency. `undefined` if its seller has set no price
 * in that currency.
 */
export function inCurrency<P extends Pick<Product, 'price' | 'prices' | 'leastPrices'>>(
  { product, offer, currency: before }: OfferedAs<P>,
  currency: string,
): OfferedAs<P> | undefined {
  if (currency === before) return { product, offer, currency };
  const price = before === baseCurrency ? priceIn(product, currency) : undefined;
  if (price === undefined) return undefined;
  return { product: { ...product, price }, offer: offer && { ...offer, price }, currency };
}

/**
 * What every buyer can choose from: the listed offers, or the product with its own price and terms if none is listed. Each in
 * this currency, or in the base currency if its seller has set no price in it.
 */
export function choicesIn<P extends Sellable>(product: P, currency: string): readonly OfferedAs<P>[] {
  const listed = listedOffers(product);
  const own = { product, offer: null, currency: baseCurrency };
  const sold = listed.length === 0 ? [own] : listed.map((offer) => soldBy(product, offer));
  return sold.map((one) => inCurrency(one, currency) ?? one);
}

/** The currencies of all prices from which every buyer can choose, the base currency first. */
export function currenciesFor(
  product: Pick<Product, 'price' | 'prices' | 'leastPrices' | 'offers'>,
): readonly string[] {
  const listed = listedOffers(product);
  return [...new Set((listed.length === 0 ? [product] : listed).flatMap(currenciesOf))];
}

/** Returns the product as the cheapest listed offer sells it; or, if none is listed, as it is. */
export function atLowestPrice<P extends Sellable>(product: P): P {
  const { lowest } = priceRange(product);
  const cheapest = listedOffers(product).find((offer) => leastOf(offer) === lowest);
  return (cheapest && offeredAs(product, cheapest.slug)?.product) ?? product;
}
