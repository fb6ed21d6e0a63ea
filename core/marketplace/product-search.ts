import { compared, fromEachStart, searchable } from '../search-texts.ts';
import type { Product } from './product.ts';

/**
 * Returns the rest of the title from each word on, and the slug. A search finds a product if one of these begins with
 * it.
 */
export function productTexts({ title, slug }: Pick<Product, 'title' | 'slug'>): string[] {
  return [...new Set([...fromEachStart(searchable(title).trim()), slug].map(compared))];
}
