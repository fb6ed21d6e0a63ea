import { baseCurrency, isCurrency, mostAmount, payable, shownCode } from '../currency.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';

/** Prices by currency, in its smallest unit, besides the one in the base currency. Their seller sets each: nothing is converted. */
export type PriceList = Readonly<Record<string, number>>;

/** What has a price, and possibly a list of other ones. */
export interface Priced {
  /** In the base currency. 0 is free, in every currency. */
  readonly price: number;
  /** Empty or absent: it is sold in the base currency only. */
  readonly prices?: PriceList | null | undefined;
  /**
   * By currency, the least that buyers can choose to pay: they pay what they want, and the price is what is suggested to them.
   * Then each currency has one, also the base currency. `null` or absent: they pay the price.
   */
  readonly leastPrices?: PriceList | null | undefined;
}

/** The most prices beside the one in the base currency. */
export const mostPrices = 20;

/** Says why card networks do not take an amount, or returns `undefined`. */
export function notPayable(amount: number, currency: string): string | undefined {
  if (payable(amount, currency) === amount) return undefined;
  return `The third decimal of a price in ${shownCode(currency)} must be 0: card networks do not take it.`;
}

const wrong = (detail: string) => refuse('invalid_prices', detail);

/** Returns both lists of prices in the order of the currencies' codes, or a refusal that says what is wrong. */
export function checkedPrices(
  priced: Priced,
): { readonly prices: PriceList; readonly leastPrices: PriceList | null } | Refused<'invalid_prices'> {
  const prices = checkedList(priced);
  if (isRefused(prices)) return prices;
  const leastPrices = checkedLeast({ ...priced, prices });
  return isRefused(leastPrices) ? leastPrices : { prices, leastPrices };
}

function checkedList({ price, prices }: Priced): PriceList | Refused<'invalid_prices'> {
  const listed = Object.entries(prices ?? {});
  if (listed.length > mostPrices) return wrong(`There can be at most ${mostPrices} prices in other currencies.`);
  if (price === 0 && listed.length > 0) return wrong('What is free has no prices in other currencies: remove them.');
  for (const [currency, amount] of listed) {
    const code = shownCode(currency);
    if (currency === baseCurrency) return wrong(`The price in ${code} is the price itself: remove it from the list.`);
    if (!isCurrency(currency)) return wrong(`Prices in ${code} are not supported.`);
    if (!Number.isSafeInteger(amount) || amount < 1) return wrong(`The price in ${code} must be more than 0.`);
    if (amount > mostAmount) return wrong(`The price in ${code} is too large.`);
    const fault = notPayable(amount, currency);
    if (fault !== undefined) return wrong(fault);
  }
  return sorted(listed);
}

/** Where buyers choose, they choose in every currency: else another currency would be a way around the least price. */
function checkedLeast({ leastPrices, ...priced }: Priced): PriceList | null | Refused<'invalid_prices'> {
  if (leastPrices == null) return null;
  if (priced.price === 0)
    return wrong('The price is what you suggest to buyers who choose it: it must be more than 0.');
  const missing = currenciesOf(priced).find((currency) => !Object.hasOwn(leastPrices, currency));
  if (missing !== undefined) return wrong(`Buyers choose the price: say the least one in ${shownCode(missing)}, too.`);
  for (const [currency, least] of Object.entries(leastPrices)) {
    const code = shownCode(currency);
    const suggested = priceIn(priced, currency);
    if (suggested === undefined) return wrong(`There is no price in ${code}: remove the least price in it.`);
    if (!Number.isSafeInteger(least) || least < 0) return wrong(`The least price in ${code} must be 0 or more.`);
    if (least > suggested)
      return wrong(`The least price in ${code} must not be more than the price, which you suggest.`);
    const fault = notPayable(least, currency);
    if (fault !== undefined) return wrong(fault);
  }
  return sorted(Object.entries(leastPrices));
}

function sorted(listed: readonly (readonly [string, number])[]): PriceList {
  return Object.fromEntries(listed.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns the currencies that a buyer can choose from, the base currency first. */
export function currenciesOf({ prices }: Priced): readonly string[] {
  return [baseCurrency, ...Object.keys(prices ?? {})];
}

/** Returns the price in a currency. `undefined` if its seller has set none. */
export function priceIn({ price, prices }: Priced, currency: string): number | undefined {
  if (currency === baseCurrency) return price;
  if (price === 0) return isCurrency(currency) ? 0 : undefined;
  // An own field: the name comes from an address.
  return prices && Object.hasOwn(prices, currency) ? prices[currency] : undefined;
}

/** Returns the lowest price in the base currency that a buyer can pay. */
export function leastOf({ price, leastPrices }: Priced): number {
  return leastPrices?.[baseCurrency] ?? price;
}
