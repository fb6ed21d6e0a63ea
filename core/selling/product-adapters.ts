import type { Product } from '../marketplace/product.ts';
import type { ProductAdapters } from '../marketplace/product-adapters.ts';
import { type Refused, refuse } from '../refusal.ts';
import { isSame } from '../same.ts';
import type { Seller } from './seller.ts';
import { createSetField, type SetFieldPorts, type Unchangeable } from './set-product-field.ts';

/**
 * Sets some adapters of a product. Needs `products:manage`. The others stay as they are. With `seen`, refuses if the adapters
 * are not as they were seen.
 */
export type SetAdapters = (
  idOrSlug: string,
  adapters: Partial<ProductAdapters>,
  seller: Seller,
  seen?: ProductAdapters,
) => Promise<Product | Refused<Unchangeable | 'changed_meanwhile'>>;

export function createSetAdapters(ports: SetFieldPorts): SetAdapters {
  const set = createSetField('adapters', ports);
  return (idOrSlug, adapters, seller, seen) =>
    set(idOrSlug, seller, (before) => {
      const isAsSeen = seen === undefined || isSame(before.adapters, seen);
      return isAsSeen ? { ...before.adapters, ...adapters } : refuse('changed_meanwhile');
    });
}
