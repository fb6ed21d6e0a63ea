import { listedOffers, type Offer, priceRange } from '../../../core/marketplace/offers.ts';
import { formatPrice, type Product, parsePrice } from '../../../core/marketplace/product.ts';
import { currencyOf } from '../../currency.ts';

/** Formats an amount of money for people. `amount` is in the smallest unit of the currency. */
export function moneyOf(amount: number, currency: string): string {
  return formatMoney(inMainUnit(amount, currency), currency);
}

/** Formats an amount in the main unit of the currency. */
export function formatMoney(amount: number, currency: string): string {
  return currencyOf(currency).format.format(amount);
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
  const [, plain = '', part = ''] = /^(\d{1,9})(?:[.,](\d+))?$/.exec(bare) ?? [];
  if (plain !== '' && part.length <= digits) return inSmallest(plain, part, digits);
  const grouped = new RegExp(`^(\\d{1,3})(([,.]|${spaces})\\d{3}(?:\\3\\d{3})?)(?:([.,])(\\d+))?$`).exec(bare);
  if (grouped === null) return undefined;
  const [, first = '', groups = '', between = '', point, cents = ''] = grouped;
  const isClear = between !== '.' || point !== undefined || groups.length > 4;
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

/** The price of a product for people; if buyers can choose from several prices, the lowest one. */
export function shownPrice(product: Pick<Product, 'price' | 'offers'>): string {
  const { lowest, highest } = priceRange(product);
  const cheapest = listedOffers(product).find(({ price }) => price === lowest);
  const price = lowest === highest ? priceOf(lowest) : `from ${moneyOf(lowest, 'usd')}`;
  return cheapest === undefined ? price : `${price}${perOf(cheapest)}`;
}

/** The price of an offer for people, in short. */
export function shortPriceOf(offer: Pick<Offer, 'price' | 'recurs'>): string {
  return `${priceOf(offer.price)}${perOf(offer)}`;
}

/** For how long a price pays, if it is paid again and again. */
function perOf({ recurs }: Pick<Offer, 'recurs'>): string {
  if (recurs == null) return '';
  const { months } = recurs;
  return months === 1 ? ' / month' : months === 12 ? ' / year' : ` / ${months} months`;
}

/** Formats a price for people. `cents` are cents of a US dollar. */
export function priceOf(cents: number): string {
  return cents === 0 ? 'Free' : moneyOf(cents, 'usd');
}
