import { toProductId } from '../../core/id.ts';
import { freeSlug, type Product } from '../../core/marketplace/product.ts';
import type { ProductFilter, ProductStore } from '../../core/ports/product-store.ts';
import { changeIn } from './change.ts';
import { type MemoryDatabase, newestFirst } from './database.ts';

export function createMemoryProductStore({ products, events, unreferenced }: MemoryDatabase): ProductStore {
  return {
    async add(added, eventOf) {
      const taken = new Set([...products.values()].map(({ slug }) => slug));
      const product = { ...added, id: toProductId(products.size + 1), slug: freeSlug(added.slug, taken) };
      products.set(product.id, product);
      events.push(eventOf(product.slug));
      return product;
    },
    findById: async (id) => products.get(id),
    findBySlug: async (slug) => [...products.values()].find((product) => product.slug === slug),
    async list(filter, offset, limit) {
      const all = newestFirst(products).filter((product) => passes(product, filter));
      return { items: all.slice(offset, offset + limit), total: all.length };
    },
    change: changeIn(products, events, (before, after, { at }) => {
      for (const file of ['zip', 'thumbnail'] as const) {
        const key = before[file];
        if (key !== null && key !== after[file]) unreferenced.set(key, at);
      }
    }),
  };
}

function passes(product: Product, { ownerId, isLive, status }: ProductFilter): boolean {
  return (
    (ownerId === undefined || product.ownerId === ownerId) &&
    (isLive === undefined || product.isLive === isLive) &&
    (status === undefined || product.status === status)
  );
}
