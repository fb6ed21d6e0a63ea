import { formatPrice } from '../../../core/marketplace/product.ts';
import { texts } from './texts.ts';

/** Formats a price for people. `cents` are cents of a US dollar. */
export function priceOf(cents: number): string {
  return cents === 0 ? texts.products.free : `$${formatPrice(cents)}`;
}
