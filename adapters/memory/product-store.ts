import { freeSlug } from '../../core/marketplace/product.ts';
import type { ProductStore } from '../../core/ports/product-store.ts';
import type { MemoryDatabase } from './database.ts';

export function createMemoryProductStore({ products, events }: MemoryDatabase): ProductStore {
  return {
    async add(added, eventOf) {
      const taken = new Set([...products.values()].map(({ slug }) => slug));
      const product = { ...added, id: products.size + 1, slug: freeSlug(added.slug, taken) };
      products.set(product.id, product);
      events.push(eventOf(product.slug));
      return product;
    },
    findById: async (id) => products.get(id),
    findBySlug: async (slug) => [...products.values()].find((product) => product.slug === slug),
  };
}
