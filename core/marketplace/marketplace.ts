import { type By, event } from '../events/event.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProductStore } from '../ports/product-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import { type Product, slugOf } from './product.ts';

/** What an administrator does with products. */
export interface Marketplace {
  add(product: { title: string; ownerId: number | null }, by: By): Promise<Product>;
  /** By slug, or by id written in digits. Where a text is both, the slug wins: it was chosen, the id was not. */
  find(idOrSlug: string): Promise<Product | Refused<'product_not_found'>>;
}

export function createMarketplace(store: ProductStore, clock: Clock): Marketplace {
  return {
    async add({ title, ownerId }, by) {
      const now = clock.now();
      return await store.add({ slug: slugOf(title), title, ownerId, createdAt: now }, (slug) =>
        event('product.added', slug, by, now, { title }),
      );
    },

    async find(idOrSlug) {
      const product =
        (await store.findBySlug(idOrSlug)) ??
        (/^\d{1,15}$/.test(idOrSlug) ? await store.findById(Number(idOrSlug)) : undefined);
      return product ?? refuse('product_not_found', `No product has the id or slug ${idOrSlug}.`);
    },
  };
}
