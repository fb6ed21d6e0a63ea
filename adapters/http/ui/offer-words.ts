import type { Offer, Recurrence } from '../../../core/marketplace/offers.ts';
import type { Duration } from '../../../core/marketplace/product-terms.ts';
import type { Agreed } from '../../../core/purchases/order.ts';
import { counted } from './numbers.ts';
import { moneyOf, priceOf } from './prices.ts';
import { product } from './product-words.ts';

/** The terms of an offer, as buyers read them. */
export type ReadOffer = Pick<
  Offer,
  'kind' | 'price' | 'maxDomains' | 'duration' | 'updatesMonths' | 'entitlements' | 'recurs'
>;

/** The price of an offer in words. */
function offerPrice({ kind, price, recurs }: Pick<Offer, 'kind' | 'price' | 'recurs'>): string {
  if (recurs) return recurringPrice({ price, recurs });
  if (kind === 'upgrade') return `${priceOf(price)}, less what its buyer has not used yet`;
  return price === 0 ? priceOf(price) : `${priceOf(price)} once`;
}

/** How often a subscription is paid, in words. */
export function everyOf(months: number): string {
  if (months === 1) return 'every month';
  return months === 12 ? 'every year' : `every ${counted(months, 'month')}`;
}

const whilePaid = 'New releases as long as it is paid';

/** A price that is paid again and again, in words. */
export function recurringPrice({ price, recurs }: Pick<Offer, 'price' | 'recurs'>, currency = 'usd'): string {
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

/** The sentence that buyers read beside the name of an offer. */
export function offerSentence(offer: ReadOffer): string {
  return [offerPrice(offer), ...termsOf(offer)].map((text) => `${text}.`).join(' ');
}
