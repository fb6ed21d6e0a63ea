import { type BundledProduct, checkedBundle } from '../marketplace/bundle.ts';
import type { Product } from '../marketplace/product.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import { isSame } from '../same.ts';
import type { Seller } from './seller.ts';
import { createSetField, type SetFieldPorts, type Unchangeable } from './set-product-field.ts';

/**
 * Sets what a bundle contains, or makes a product without files a bundle. `null`: it is no bundle any more. Needs
 * `products:manage`. A change applies to later sales: orders keep what they agreed on. With `seen`, refuses if the product is not
 * as it was seen.
 */
export type SetBundle = (
  idOrSlug: string,
  bundle: readonly BundledProduct[] | null,
  seller: Seller,
  seen?: Product,
) => Promise<Product | Refused<Unchangeable | 'invalid_bundle' | 'changed_meanwhile'>>;

interface SetBundlePorts extends SetFieldPorts {
  readonly store: SetFieldPorts['store'] & Pick<ProductStore, 'findAll'>;
}

export function createSetBundle(ports: SetBundlePorts): SetBundle {
  const set = createSetField('bundle', ports);
  return async (idOrSlug, bundle, seller, seen) => {
    const named = bundle === null ? [] : await ports.store.findAll(bundle.map(({ productId }) => productId));
    return await set(idOrSlug, seller, (before) => {
      if (seen !== undefined && !isSame(before, seen)) return refuse('changed_meanwhile');
      return bundle && checkedBundle(before, bundle, named);
    });
  };
}
