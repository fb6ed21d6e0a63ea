import { baseCurrency, formatAmount, payable, shownCode } from '../currency.ts';
import { renewedNow, upgradedNow } from '../licensing/folded-periods.ts';
import type { License } from '../licensing/license.ts';
import { creditOf, type Grant, grantOf, type Period, termsCauseOf } from '../licensing/periods.ts';
import { changesLicense, inCurrency, type Offer, type OfferedAs, soldBy } from '../marketplace/offers.ts';
import { atAmount, choiceOf } from '../marketplace/price-choice.ts';
import { priceIn } from '../marketplace/price-list.ts';
import type { Product } from '../marketplace/product.ts';
import type { Instant } from '../ports/clock.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Agreed, Order, Provider } from './order.ts';
import { agreedNow, inFull, isAskedHere, isRunning } from './subscription.ts';
import { type PaymentSettings, uncollectable, waysToPay } from './ways-to-pay.ts';

/**
 * What a buyer can pay for a license now. The price of the product is what is to be paid. If buyers choose the price, they choose
 * it before the credit is taken off.
 */
export interface Quote extends OfferedAs<Product> {
  /** `upgrade`: the license gets the terms of the offer from now on. A trial that is bought is upgraded. */
  readonly kind: 'renewal' | 'upgrade';
  /** The unused part of what was paid. It is taken off already. */
  readonly credit: number;
  readonly builtOn: readonly string[];
  /** See `AgreedOffer`. */
  readonly of: string | undefined;
  /** When the change is made, if that is only at the next payment. Then nothing is paid now. */
  readonly at: Instant | undefined;
  /** What the license gives if it is paid now, or after the change. */
  readonly after: Grant;
  readonly ways: readonly Provider[];
}

/** A license that can be paid for, with its product. */
export interface Renewable {
  readonly product: Product;
  readonly license: License;
  readonly periods: readonly Period[];
  /** The offer by which it was sold last, and whether that was a trial. */
  readonly soldBy: string | null;
  readonly isTrial: boolean;
  /** The currency in which it was paid. `undefined`: nothing was paid yet. */
  readonly currency: string | undefined;
  /** The currency that its buyer has seen last. */
  readonly seen: string;
  /** The order whose subscription the license has, or had last. */
  readonly subscribed: Order | undefined;
  readonly now: Instant;
  /** Whether the seller has a wallet for USDC. */
  readonly takesUsdc: boolean;
}

/**
 * Returns `undefined` if the license cannot be paid by this offer in this currency, or it would change nothing. `amount` is what the
 * buyer has chosen; without it, what is suggested, or more if all of that is taken off. Refused if it is too little to be paid.
 */
export function quoteOf(
  renewable: Renewable,
  listedOffer: Offer | null,
  currency: string,
  settings: PaymentSettings,
  amount?: number,
): Quote | undefined | Refused<'amount_not_possible'> {
  const { product: listed, license, periods, soldBy: from, isTrial, subscribed, now } = renewable;
  const base =
    listedOffer === null ? { product: listed, offer: null, currency: baseCurrency } : soldBy(listed, listedOffer);
  const priced = inCurrency(base, currency);
  if (priced === undefined) return undefined;
  const choice = choiceOf(priced);
  const sold = choice || amount !== undefined ? atAmount(priced, amount ?? choice?.suggested ?? 0) : priced;
  if (isRefused(sold)) return sold;
  const { product, offer, suggested } = sold;
  if (offer !== null && offer.fromOffer != null && offer.fromOffer !== from) return undefined;
  // A renewal often costs less than a license. Nothing was paid for a trial yet.
  if (isTrial && offer?.kind === 'renewal' && offer.fromOffer == null) return undefined;
  const goesOn = subscribed !== undefined && isRunning(subscribed);
  // The payments of a subscription renew its license.
  if (goesOn && offer?.kind === 'renewal') return undefined;
  const buysTrial = isTrial && (offer === null || !changesLicense[offer.kind]);
  const subscribes = subscribed !== undefined && offer?.kind === 'subscription';
  const changes = offer !== null && (subscribes || changesLicense[offer.kind]);
  // One that was cancelled can be taken up again until it has ended.
  const isSame = offer?.slug === from && !(subscribes && subscribed.subscription?.status === 'ended');
  const { next = null } = subscribed?.subscription ?? {};
  if (goesOn && next !== null && subscribes) {
    if (next.offer?.slug === offer.slug && next.price === offer.price) return undefined;
    const now = agreedNow(subscribed);
    // What was chosen for the next payment is taken back.
    if (now.offer?.slug === offer.slug) {
      const { price, terms } = inFull(now);
      const before = { product: { ...product, price, terms }, offer: { ...offer, ...now.offer }, currency };
      return atNextPayment(subscribed, before, periods, license);
    }
  }
  if (!buysTrial && (!changes || isSame)) return undefined;
  const { price, terms } = product;
  const time = { days: terms.duration?.days ?? null, months: offer?.updatesMonths ?? null };
  const before = grantOf(periods);
  const isRenewal = offer?.kind === 'renewal';
  const after = isRenewal
    ? renewedNow(periods, time, now)
    : upgradedNow(
        periods,
        {
          ...time,
          offer: offer?.slug ?? null,
          maxDomains: terms.maxDomains,
          entitlements: offer?.entitlements ?? [],
          ...(offer?.recurs && { recurs: offer.recurs }),
        },
        now,
      );
  const isUseless = after.expiresAt === before.expiresAt && after.updatesUntil === before.updatesUntil;
  const { credit: unused, builtOn } = isRenewal ? { credit: 0, builtOn: [] } : creditOf(periods, now, currency);
  const credit = payable(unused, currency);
  const toPay = price - credit;
  const isLater = goesOn && offer?.recurs && (toPay <= 0 || isCheaperThan(agreedNow(subscribed), offer));
  if (isRenewal ? isUseless : !isLater && after.maxDomains < license.domainsUsed) return undefined;
  if (isLater) {
    // A payment that is being tried is for what was chosen before.
    const isCollected = subscribed.subscription?.status === 'active' || isAskedHere(subscribed);
    return isCollected ? atNextPayment(subscribed, { product, offer, currency }, periods, license) : undefined;
  }
  if (toPay <= 0) {
    if (amount !== undefined) return tooLittle(credit, currency);
    // Buyers who choose the price can choose more than is taken off.
    const canPay = (left: number) =>
      left > 0 && waysToPay(settings, { ...product, price: left, currency, takesUsdc: renewable.takesUsdc }).length > 0;
    const left = choice && [choice.least, choice.suggested].find(canPay);
    // At most once: with an amount, this returns above.
    return left === undefined ? undefined : quoteOf(renewable, listedOffer, currency, settings, credit + left);
  }
  const asked = { ...product, price: toPay };
  const ways = waysToPay(settings, { ...asked, currency, takesUsdc: renewable.takesUsdc });
  if (amount !== undefined && ways.length === 0) return uncollectable(toPay, currency);
  return {
    product: asked,
    offer,
    currency,
    suggested,
    kind: isRenewal ? 'renewal' : 'upgrade',
    at: undefined,
    credit,
    builtOn,
    // Else a cheap renewal that is opened now could be paid after an upgrade, for time with its terms.
    of: isRenewal && offer.fromOffer != null ? termsCauseOf(periods) : undefined,
    after,
    ways,
  };
}

/** Says that nothing would be left to pay. */
function tooLittle(credit: number, currency: string): Refused<'amount_not_possible'> {
  const text = `${formatAmount(credit, currency)} ${shownCode(currency)}`;
  return refuse(
    'amount_not_possible',
    `Choose more than ${text}: so much is taken off, and something must be left to pay.`,
  );
}

/** The currency to pay in. What was paid before stays in its currency, so that a credit never mixes two. */
export function currencyOf(
  { product, currency, seen }: Renewable,
  offer: Offer | null,
  wanted: string | undefined,
): string {
  if (currency !== undefined) return currency;
  return wanted ?? (priceIn(offer ?? product, seen) === undefined ? baseCurrency : seen);
}

/**
 * A cheaper subscription begins with the next payment: nothing is to be paid now, and nothing is paid back. The domains that are
 * in use then stay.
 */
function atNextPayment(
  { subscription }: Order,
  { product, offer, currency }: OfferedAs<Product> & { readonly offer: Offer },
  periods: readonly Period[],
  { domainsUsed }: License,
): Quote {
  const maxDomains = Math.max(offer.maxDomains, domainsUsed);
  const after = { ...grantOf(periods), maxDomains, entitlements: offer.entitlements };
  const at = subscription?.paidTo;
  return { product, offer, currency, kind: 'upgrade', credit: 0, builtOn: [], of: undefined, at, after, ways: [] };
}

export function notIn(wanted: string, { currency }: Renewable): Refused<'currency_not_offered'> {
  const code = shownCode(wanted);
  const why = currency === undefined ? '' : `The license was paid in ${code}, and stays in that currency. `;
  return refuse('currency_not_offered', `${why}The seller has set no price in ${code} for this.`);
}

/** Compares the full prices: a coupon makes no offer a smaller one. */
function isCheaperThan(agreed: Agreed, other: Offer): boolean {
  const { price, offer } = inFull(agreed);
  const yearly = (price: number, { recurs }: Pick<Offer, 'recurs'>) => (price * 12) / (recurs?.months ?? 12);
  return other.recurs != null && offer !== null && yearly(other.price, other) < yearly(price, offer);
}
