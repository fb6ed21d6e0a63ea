import { formatPrice } from '../../../core/marketplace/product.ts';

/** Formats an amount of money for people. `amount` is in the smallest unit of the currency. */
export function moneyOf(amount: number, currency: string): string {
  return formatMoney(inMainUnit(amount, currency), currency);
}

/** Formats an amount in the main unit of the currency. */
export function formatMoney(amount: number, currency: string): string {
  return formatIn(currency).format(amount);
}

/** Returns an amount in the main unit of the currency, such as dollars. */
export function inMainUnit(amount: number, currency: string): number {
  return amount / 10 ** digitsOf(currency);
}

/** Reads an amount in the main unit, such as 9.90, into the smallest unit. Returns `undefined` if it is none. */
export function parseMoney(typed: string, currency: string): number | undefined {
  const digits = digitsOf(currency);
  const [, whole = '', part = ''] = /^(\d{1,9})(?:[.,](\d+))?$/.exec(typed.trim()) ?? [];
  return whole === '' || part.length > digits ? undefined : Number(whole + part.padEnd(digits, '0'));
}

function digitsOf(currency: string): number {
  return formatIn(currency).resolvedOptions().maximumFractionDigits ?? 2;
}

function formatIn(currency: string): Intl.NumberFormat {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency });
}

/** Instead of a price of nothing. */

/** Formats a price for people. `cents` are cents of a US dollar. */
export function priceOf(cents: number): string {
  return cents === 0 ? 'Free' : `$${formatPrice(cents)}`;
}
