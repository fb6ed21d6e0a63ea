import { may } from '../accounts/role.ts';
import type { Product } from '../marketplace/product.ts';
import { letsIn, type ProductAdapters } from '../marketplace/product-adapters.ts';
import { type Refused, refuse } from '../refusal.ts';
import { isSame } from '../same.ts';
import type { Seller } from './seller.ts';
import { createSetField, type SetFieldPorts, type Unchangeable } from './set-product-field.ts';

/**
 * Sets some adapters of a product. Needs `products:manage`. The others stay as they are. With `seen`, refuses if the adapters
 * are not as they were seen. Only those who have `products:moderate` may let clients in, or change what is on; whoever manages
 * the product may switch it off, and enter ids while it is off.
 */
export type SetAdapters = (
  idOrSlug: string,
  adapters: Partial<ProductAdapters>,
  seller: Seller,
  seen?: ProductAdapters,
) => Promise<Product | Refused<Unchangeable | 'changed_meanwhile' | 'needs_administrator'>>;

const onlyAdministrators =
  'Only an administrator can let clients of another system in, or change the ids while they are let in.';

export function createSetAdapters(ports: SetFieldPorts): SetAdapters {
  const set = createSetField('adapters', ports);
  return (idOrSlug, adapters, seller, seen) =>
    set(idOrSlug, seller, (before) => {
      if (seen !== undefined && !isSame(before.adapters, seen)) return refuse('changed_meanwhile');
      const after = { ...before.adapters, ...adapters };
      return letsIn(before.adapters, after) && !may(seller.actor, 'products:moderate')
        ? refuse('needs_administrator', onlyAdministrators)
        : after;
    });
}
