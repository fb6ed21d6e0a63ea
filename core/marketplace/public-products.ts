import type { ProductStore, PublicPlace } from '../ports/product-store.ts';
import type { ProductSummary } from './product.ts';

/** A page of the public products, newest first. `newer` and `older` lead to the neighbouring pages, if they exist. */
export interface PublicProducts {
  readonly items: readonly ProductSummary[];
  readonly newer?: PublicPlace;
  readonly older?: PublicPlace;
}

/**
 * Reads the page at a place. Reads one product more than the page shows, to find out if there is a further page. If
 * fewer newer products are left than fill a page, this returns the first page.
 */
export async function publicProducts(
  store: Pick<ProductStore, 'listPublic'>,
  place: PublicPlace | undefined,
  perPage: number,
): Promise<PublicProducts> {
  const found = await store.listPublic(place, perPage + 1);
  const isFull = found.length > perPage;
  const isNewer = place !== undefined && 'newerThan' in place;
  if (isNewer && !isFull) return await publicProducts(store, undefined, perPage);
  const items = isNewer ? found.slice(1) : found.slice(0, perPage);
  const [first, last] = [items[0], items.at(-1)];
  return {
    items,
    ...(place !== undefined && first && { newer: { newerThan: first.id } }),
    ...(isFull && last && { older: { olderThan: last.id } }),
  };
}
