import { freeSlug, type Product } from '../../core/marketplace/product.ts';
import type { ProductFilter, ProductStore } from '../../core/ports/product-store.ts';
import { isRefused } from '../../core/refusal.ts';
import { type MemoryDatabase, newestFirst } from './database.ts';

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
    async list(filter, offset, limit) {
      const all = newestFirst(products).filter((product) => passes(product, filter));
      return { items: all.slice(offset, offset + limit), total: all.length };
    },
    async change(id, decide) {
      const before = products.get(id);
      if (before === undefined) return undefined;
      const decision = decide(before);
      if (isRefused(decision)) return decision;
      const { status, updatedAt } = decision.product;
      const product = { ...before, status, updatedAt };
      products.set(id, product);
      events.push(decision.event);
      return product;
    },
  };
}

function passes(product: Product, { ownerId, isLive, status }: ProductFilter): boolean {
  return (
    (ownerId === undefined || product.ownerId === ownerId) &&
    (isLive === undefined || product.isLive === isLive) &&
    (status === undefined || product.status === status)
  );
}
