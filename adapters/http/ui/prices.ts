import { formatPrice } from '../../../core/marketplace/product.ts';
import { texts } from './texts.ts';

/** Formats an amount of money for people. `amount` is in the smallest unit of the currency. */
export function moneyOf(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Formats a price for people. `cents` are cents of a US dollar. */
export function priceOf(cents: number): string {
  return cents === 0 ? texts.products.free : `$${formatPrice(cents)}`;
}
