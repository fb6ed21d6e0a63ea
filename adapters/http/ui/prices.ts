import { baseCurrency } from '../../../core/currency.ts';
import { choicesIn, type Offer, type OfferedAs, type Sellable } from '../../../core/marketplace/offers.ts';
import { choiceOf } from '../../../core/marketplace/price-choice.ts';
import { formatPrice, type Product, parsePrice } from '../../../core/marketplace/product.ts';
import { cent, formatUsdc } from '../../../core/usdc/usdc-quote.ts';
import { currencyOf } from '../../currency.ts';
import { readableNumber } from './numbers.ts';

/** Formats an amount of money for people. `amount` is in the smallest unit of the currency. */
export function moneyOf(amount: number, currency: string): string {
  return formatMoney(inMainUnit(amount, currency), currency);
}

/** Formats an amount in the main unit of the currency. */
export function formatMoney(amount: number, currency: string): string {
  return currencyOf(currency).format.format(amount);
}

/**
 * Formats an amount of USDC, in millionths, for people: 12,345.00, or 12,345.001234 if there are parts of a cent. What people copy into a wallet
 * is `formatUsdc` instead, because some wallets take no commas.
 */
export function readableUsdc(amount: number): string {
  const [whole = '', parts = ''] = formatUsdc(amount).split('.');
  return `${readableNumber(Number(whole))}.${amount % cent === 0 ? parts.slice(0, 2) : parts}`;
}

/** Returns an amount in the main unit of the currency, such as dollars. */
export function inMainUnit(amount: number, currency: string): number {
  return amount / 10 ** currencyOf(currency).digits;
}

const spaces = "[ \u00a0\u202f'’]";

/**
 * Reads an amount as people type it, such as 49, 9.90, 49,90, $49, 12,500.00, 12.500,00 or 49 EUR, into the smallest
 * unit. Returns `undefined` if it is none, or if it could be one of two, such as 1.250 dollars.
 */
export function parseMoney(typed: string, currency: string): number | undefined {
  const digits = currencyOf(currency).digits;
  const bare = withoutSign(typed.trim(), currency);
  const [, plain = '', part = ''] = /^(\d{1,12})(?:[.,](\d+))?$/.exec(bare) ?? [];
  if (plain !== '' && part.length <= digits) return inSmallest(plain, part, digits);
  const grouped = new RegExp(`^(\\d{1,3})(([,.]|${spaces})\\d{3}(?:\\3\\d{3}){0,2})(?:([.,])(\\d+))?$`).exec(bare);
  if (grouped === null) return undefined;
  const [, first = '', groups = '', between = '', point, cents = ''] = grouped;
  const isClear = digits === 0 || between !== '.' || point !== undefined || groups.length > 4;
  if (!isClear || point === between || cents.length > digits) return undefined;
  return inSmallest(first + groups.replace(/\D/g, ''), cents, digits);
}

/** Reads a price in US dollars into cents, as `parseMoney` does. The largest is the largest price of a product. */
export function readPrice(typed: string): number | undefined {
  const cents = parseMoney(typed, 'usd');
  return cents === undefined ? undefined : parsePrice(formatPrice(cents));
}

function inSmallest(whole: string, part: string, digits: number): number {
  return Number(whole + part.padEnd(digits, '0'));
}

/** Takes the sign or the code of the currency away from the beginning or the end. */
function withoutSign(text: string, currency: string): string {
  const lower = text.toLowerCase();
  const sign = currencyOf(currency).signs.find((one) => lower.startsWith(one) || lower.endsWith(one));
  if (sign === undefined) return text;
  return (lower.startsWith(sign) ? text.slice(sign.length) : text.slice(0, -sign.length)).trim();
}

/**
 * The prices of a product in this currency, lowest first. Those without a price in it are left out. If there is none at all,
 * those in the base currency. If buyers choose the price, the least one counts.
 */
export function pricesShown<P extends Sellable>(product: P, wanted: string) {
  const choices = choicesIn(product, wanted);
  const inIt = choices.filter(({ currency }) => currency === wanted);
  return (inIt.length > 0 ? inIt : choices).toSorted((one, other) => leastIn(one) - leastIn(other));
}

/** The lowest price that a buyer can pay, in the currency of the sale. */
export function leastIn(sold: OfferedAs<Pick<Product, 'price' | 'leastPrices'>>): number {
  return choiceOf(sold)?.least ?? sold.product.price;
}

/** Tells that buyers choose the price, with the least one if there is one. */
function chosenFrom(least: number, currency: string): string {
  return least === 0 ? 'Pay what you want' : `from ${moneyOf(least, currency)}`;
}

/** The price of a product for people; if buyers can choose from several prices, or choose the price, the lowest one. */
export function shownPrice(product: Sellable, wanted = baseCurrency): string {
  const shown = pricesShown(product, wanted);
  const [lowest, highest] = [shown[0], shown.at(-1)];
  if (lowest === undefined || highest === undefined) throw new Error('A product has a price at least.');
  if (choiceOf(lowest) !== undefined) return chosenFrom(leastIn(lowest), lowest.currency);
  const { price } = lowest.product;
  const text =
    price === highest.product.price ? priceOf(price, lowest.currency) : `from ${moneyOf(price, lowest.currency)}`;
  return lowest.offer === null ? text : `${text}${perOf(lowest.offer)}`;
}

/** The price of an offer for people, in short. */
export function shortPriceOf(offer: Pick<Offer, 'price' | 'recurs' | 'leastPrices'>, currency: string): string {
  const least = offer.leastPrices?.[currency];
  if (least !== undefined) return chosenFrom(least, currency);
  return `${priceOf(offer.price, currency)}${perOf(offer)}`;
}

/** For how long a price pays, if it is paid again and again. */
function perOf({ recurs }: Pick<Offer, 'recurs'>): string {
  if (recurs == null) return '';
  const { months } = recurs;
  return months === 1 ? ' / month' : months === 12 ? ' / year' : ` / ${months} months`;
}

/** Formats a price for people. `price` is in the smallest unit of the currency. */
export function priceOf(price: number, currency: string): string {
  return price === 0 ? 'Free' : moneyOf(price, currency);
}
