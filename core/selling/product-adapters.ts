import { may } from '../accounts/role.ts';
import type { Product } from '../marketplace/product.ts';
import { isMistakable, letsIn, type ProductAdapters, systemsWithClients } from '../marketplace/product-adapters.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import { isSame } from '../same.ts';
import type { Seller } from './seller.ts';
import { createSetField, type SetFieldPorts, type Unchangeable } from './set-product-field.ts';

/**
 * Sets some adapters of a product. Needs `products:manage`. The others stay as they are. With `seen`, refuses if the adapters
 * are not as they were seen. Only those who have `products:moderate` may let clients in, or change what is on; whoever manages
 * the product may switch it off, and enter ids while it is off. Refuses to let clients in with ids by which those of another
 * product are let in already. Two changes at the same moment are not compared with each other.
 */
export type SetAdapters = (
  idOrSlug: string,
  adapters: Partial<ProductAdapters>,
  seller: Seller,
  seen?: ProductAdapters,
) => Promise<Product | Refused<Unchangeable | 'changed_meanwhile' | 'needs_administrator' | 'ids_in_use'>>;

const onlyAdministrators =
  'Only an administrator can let clients of another system in, or change the ids while they are let in.';

export function createSetAdapters({
  store,
  clock,
}: SetFieldPorts & { readonly store: Pick<ProductStore, 'withAdapters'> }): SetAdapters {
  const setField = createSetField('adapters', { store, clock });
  return async (idOrSlug, adapters, seller, seen) => {
    const mayLetIn = may(seller.actor, 'products:moderate');
    const adapted = mayLetIn ? await store.withAdapters() : [];
    return await setField(idOrSlug, seller, (before) => {
      if (seen !== undefined && !isSame(before.adapters, seen)) return refuse('changed_meanwhile');
      const after = { ...before.adapters, ...adapters };
      if (!letsIn(before.adapters, after)) return after;
      if (!mayLetIn) return refuse('needs_administrator', onlyAdministrators);
      const own = { ...before, adapters: after };
      const set = systemsWithClients.filter((system) => adapters[system] !== undefined);
      const other = adapted.find((one) => one.id !== before.id && set.some((system) => isMistakable(system, own, one)));
      return other
        ? refuse('ids_in_use', `Clients of the product ${other.title} (${other.slug}) have the same ids.`)
        : after;
    });
  };
}
