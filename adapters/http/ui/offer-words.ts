import type { Offer } from '../../../core/marketplace/offers.ts';
import type { Duration } from '../../../core/marketplace/product-terms.ts';
import { counted } from './numbers.ts';
import { priceOf } from './prices.ts';
import { product } from './product-words.ts';

/** The terms of an offer, as buyers read them. */
export type ReadOffer = Pick<Offer, 'price' | 'maxDomains' | 'duration' | 'updatesMonths' | 'entitlements'>;

/** The price of an offer in words. */
function offerPrice({ price }: Pick<Offer, 'price'>): string {
  return price === 0 ? priceOf(price) : `${priceOf(price)} once`;
}

/** How long an offer gives new releases, in words. */
export function updatesOf({ duration, updatesMonths: months }: Pick<Offer, 'duration' | 'updatesMonths'>): string {
  if (months !== null) return `New releases for ${counted(months, 'month')}`;
  return duration === null ? 'New releases for ever' : 'New releases as long as it is valid';
}

export function worksOn(maxDomains: number): string {
  return `Works on ${counted(maxDomains, 'domain')}`;
}

export function validFor(duration: Duration): string {
  return duration === null ? 'Valid for ever' : `Valid for ${product.durationOf(duration)}`;
}

export function includes(entitlements: readonly string[]): string {
  return `Includes ${entitlements.join(', ')}`;
}

/** What an offer contains, as a list of short texts. */
export function termsOf(offer: ReadOffer): string[] {
  const { maxDomains, duration, entitlements } = offer;
  return [
    worksOn(maxDomains),
    validFor(duration),
    updatesOf(offer),
    ...(entitlements.length > 0 ? [includes(entitlements)] : []),
  ];
}

/** The sentence that buyers read beside the name of an offer. */
export function offerSentence(offer: ReadOffer): string {
  return [offerPrice(offer), ...termsOf(offer)].map((text) => `${text}.`).join(' ');
}
