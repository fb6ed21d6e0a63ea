import type { ProductStore } from '../ports/product-store.ts';
import type { Refused } from '../refusal.ts';
import { contentsOf } from './bundle.ts';
import type { OfferedAs } from './offers.ts';
import type { Product } from './product.ts';

/**
 * Returns the products in a bundle, as it sells them now, with the prices that they have alone. `undefined` if it is no bundle.
 * Refuses if one of them cannot be sold now: the detail says which one, and why.
 */
export type FindContents = (
  product: Pick<Product, 'bundle'>,
) => Promise<readonly OfferedAs<Product>[] | undefined | Refused<'bundle_unavailable'>>;

export function createFindContents({ store }: { readonly store: Pick<ProductStore, 'findAll'> }): FindContents {
  return async ({ bundle }) => {
    if (bundle === null) return undefined;
    return contentsOf(bundle, await store.findAll(bundle.map(({ productId }) => productId)));
  };
}
