import { baseCurrency } from '../../../core/currency.ts';
import type { Offer, Recurrence, Sellable } from '../../../core/marketplace/offers.ts';
import type { Priced } from '../../../core/marketplace/price-list.ts';
import type { Duration } from '../../../core/marketplace/product-terms.ts';
import type { Agreed } from '../../../core/purchases/order.ts';
import { counted } from './numbers.ts';
import { moneyOf, priceOf, shownPrice } from './prices.ts';
import { product } from './product-words.ts';

/** The terms of an offer, as buyers read them. */
export type ReadOffer = Pick<
  Offer,
  'kind' | 'price' | 'leastPrices' | 'maxDomains' | 'duration' | 'updatesMonths' | 'entitlements' | 'recurs'
>;

/** The price of an offer in words. */
function offerPrice({
  kind,
  price,
  recurs,
  leastPrices,
}: Pick<ReadOffer, 'kind' | 'price' | 'recurs' | 'leastPrices'>): string {
  if (recurs) return recurringPrice({ price, recurs });
  const text = chosenPrice(price, leastPrices, baseCurrency) ?? priceOf(price, baseCurrency);
  if (kind === 'upgrade') return `${text}, less what its buyer has not used yet`;
  if (leastPrices != null) return text;
  return price === 0 ? text : `${text} once`;
}

/** A price that buyers choose, in words. `undefined`: they pay the price. */
function chosenPrice(suggested: number, leastPrices: Priced['leastPrices'], currency: string): string | undefined {
  const least = leastPrices?.[currency];
  if (least === undefined) return undefined;
  const from = least === 0 ? '' : `, at least ${moneyOf(least, currency)}`;
  return `Pay what you want${from} (${moneyOf(suggested, currency)} is suggested)`;
}

/** The prices in other currencies, for their seller. Empty if there are none. */
export function otherPrices({ prices, leastPrices }: Pick<Priced, 'prices' | 'leastPrices'>): string {
  const listed = Object.entries(prices ?? {}).map(([currency, amount]) => {
    const least = leastPrices?.[currency] ?? 0;
    return `${moneyOf(amount, currency)}${least === 0 ? '' : ` (at least ${moneyOf(least, currency)})`}`;
  });
  return listed.length === 0 ? '' : `Or ${listed.join(', ')}.`;
}

/** The price of a product for its seller, with all that buyers can choose. Offers have their own prices, in their list. */
export function priceForSeller(product: Sellable): string {
  const { price, leastPrices, offers } = product;
  if (offers.length > 0) return shownPrice(product);
  const own = chosenPrice(price, leastPrices, baseCurrency) ?? priceOf(price, baseCurrency);
  return [own, otherPrices(product)].filter(Boolean).join('. ');
}

/** How often a subscription is paid, in words. */
export function everyOf(months: number): string {
  if (months === 1) return 'every month';
  return months === 12 ? 'every year' : `every ${counted(months, 'month')}`;
}

const whilePaid = 'New releases as long as it is paid';

/** A price that is paid again and again, in words. */
export function recurringPrice({ price, recurs }: Pick<Offer, 'price' | 'recurs'>, currency = baseCurrency): string {
  return `${moneyOf(price, currency)} ${everyOf(recurs?.months ?? 1)}`;
}

/** What was agreed for each payment of a subscription, in words. */
export function agreedPrice({ price, currency, offer }: Agreed): string {
  return recurringPrice({ price, recurs: offer?.recurs }, currency);
}

/** How long an offer gives new releases, in words. */
export function updatesOf({
  duration,
  updatesMonths: months,
  recurs,
}: Pick<Offer, 'duration' | 'updatesMonths' | 'recurs'>): string {
  if (recurs) return whilePaid;
  if (months !== null) return `New releases for ${counted(months, 'month')}`;
  return duration === null ? 'New releases for ever' : 'New releases as long as it is valid';
}

export function worksOn(maxDomains: number): string {
  return `Works on ${counted(maxDomains, 'domain')}`;
}

export function validFor(duration: Duration): string {
  return duration === null ? 'Valid for ever' : `Valid for ${product.durationOf(duration)}`;
}

/** How long a license of a subscription is valid, in words. */
function validWhilePaid({ months, perpetualAfter }: Recurrence): string {
  if (perpetualAfter === null) return 'Valid as long as it is paid';
  if (perpetualAfter <= months) return 'Valid for ever after the first payment';
  return `Valid as long as it is paid, and for ever after ${counted(perpetualAfter, 'paid month')}`;
}

export function includes(entitlements: readonly string[]): string {
  return `Includes ${entitlements.join(', ')}`;
}

/** How long the license of a subscription is valid, and gets new releases. */
export function lastsWhilePaid(recurs: Recurrence): string[] {
  return recurs.perpetualAfter === null
    ? ['Valid, with new releases, as long as it is paid']
    : [validWhilePaid(recurs), whilePaid];
}

/** What an offer contains, as a list of short texts. */
export function termsOf(offer: ReadOffer): string[] {
  const { kind, maxDomains, duration, entitlements, updatesMonths, recurs } = offer;
  if (kind === 'renewal') {
    return [
      ...(duration === null ? [] : [`${counted(duration.days, 'day')} more`]),
      ...(updatesMonths === null ? [] : [`New releases for ${counted(updatesMonths, 'month')} more`]),
    ];
  }
  return [
    worksOn(maxDomains),
    ...(recurs
      ? lastsWhilePaid(recurs)
      : [kind === 'upgrade' && duration !== null ? fromPayment(duration.days) : validFor(duration), updatesOf(offer)]),
    ...(entitlements.length > 0 ? [includes(entitlements)] : []),
  ];
}

/** The time of an upgrade does not begin with the issue of the license. */
function fromPayment(days: number): string {
  return `Valid for ${counted(days, 'day')} from the payment`;
}

/** The sentence that buyers read beside the name of an offer. The offers of a bundle have no terms. */
export function offerSentence(offer: ReadOffer, hasTerms = true): string {
  return [offerPrice(offer), ...(hasTerms ? termsOf(offer) : [])].map((text) => `${text}.`).join(' ');
}
