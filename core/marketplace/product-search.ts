import { searchable } from '../accounts/user.ts';
import { compared, fromEachStart } from '../search-texts.ts';
import type { Product } from './product.ts';

/**
 * Returns the rest of the title from each word on, and the slug. A search finds a product if one of these begins with
 * it.
 */
export function productTexts({ title, slug }: Pick<Product, 'title' | 'slug'>): string[] {
  return [...new Set([...fromEachStart(searchable(title).trim()), slug].map(compared))];
}

/** The text that a text of a product must begin with. Empty if all products match. */
export function searchedProduct(search = ''): string {
  return compared(searchable(search).replaceAll('\0', '').trim());
}
