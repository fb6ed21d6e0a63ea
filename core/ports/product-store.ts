import type { Event } from '../events/event.ts';
import type { Product } from '../marketplace/product.ts';

/** Products of the marketplace. */
export interface ProductStore {
  /** Adds a product under its slug, or under that slug with the lowest free suffix. `eventOf` is told the slug it got. */
  add(product: Omit<Product, 'id'>, eventOf: (slug: string) => Event): Promise<Product>;
  findById(id: number): Promise<Product | undefined>;
  findBySlug(slug: string): Promise<Product | undefined>;
}
