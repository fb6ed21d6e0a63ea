import { byOf } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import { unknownProduct } from '../marketplace/find-product.ts';
import { archived } from '../marketplace/listing-edit.ts';
import type { Product } from '../marketplace/product.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { isSame } from '../same.ts';
import { findProductOf, type Seller } from './seller.ts';

/** Why no field of a product can be set. */
export type Unchangeable = 'product_not_found' | 'product_archived';

export interface SetFieldPorts {
  readonly store: Pick<ProductStore, 'findById' | 'findBySlug' | 'change'>;
  readonly clock: Clock;
}

/**
 * Returns what sets one field of a product for its seller, who needs `products:manage`. `decide` returns the new value, or a refusal.
 * Without a difference, nothing is written.
 */
export function createSetField<Field extends 'offers' | 'bundle' | 'adapters'>(
  field: Field,
  { store, clock }: SetFieldPorts,
) {
  return async <R extends string>(
    idOrSlug: string,
    seller: Seller,
    decide: (before: Product) => Product[Field] | Refused<R>,
  ): Promise<Product | Refused<R | Unchangeable>> => {
    const product = await findProductOf(store, idOrSlug, seller, 'products:manage');
    if (isRefused(product)) return product;
    const changed = await store.change<R | 'product_archived'>(product.id, (before) => {
      if (before.archivedAt !== null) return archived();
      const value = decide(before);
      if (isRefused(value)) return value;
      if (isSame(value, before[field])) return { after: before };
      const now = clock.now();
      const told = event('product.changed', before.slug, byOf(seller.actor), now, { fields: field });
      return { after: { ...before, [field]: value, updatedAt: now }, event: told };
    });
    return changed ?? unknownProduct(idOrSlug);
  };
}
