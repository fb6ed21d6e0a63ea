import { parseId, toProductId } from '../id.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Product } from './product.ts';

/** Accepts an id in digits, or a slug. */
export async function findProduct(
  store: Pick<ProductStore, 'findById' | 'findBySlug'>,
  idOrSlug: string,
): Promise<Product | undefined> {
  const id = parseId(idOrSlug, toProductId);
  return id === undefined ? await store.findBySlug(idOrSlug) : await store.findById(id);
}

export function unknownProduct(idOrSlug: string): Refused<'product_not_found'> {
  return refuse('product_not_found', `No product has the id or slug ${idOrSlug}.`);
}
