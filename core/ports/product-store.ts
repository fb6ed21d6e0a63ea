import type { Event } from '../events/event.ts';
import type { ProductId, UserId } from '../id.ts';
import type { Product, ProductStatus } from '../marketplace/product.ts';
import type { ChangeById } from './change.ts';

/** One page of a list, and how long the list is. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

export interface ProductFilter {
  readonly ownerId?: UserId | undefined;
  readonly isLive?: boolean | undefined;
  readonly status?: ProductStatus | undefined;
}

/** Products of the marketplace. */
export interface ProductStore {
  /** Adds a product under its slug, or under that slug with the lowest free suffix. `eventOf` is told the slug it got. */
  add(product: Omit<Product, 'id'>, eventOf: (slug: string) => Event): Promise<Product>;
  findById(id: ProductId): Promise<Product | undefined>;
  findBySlug(slug: string): Promise<Product | undefined>;
  /** Newest first, so many from an offset on; `total` counts all that the filter lets through. */
  list(filter: ProductFilter, offset: number, limit: number): Promise<Page<Product>>;
  /** If it gets another file, notes for `FileReferences` that the reference to the old one ended when the event happened. */
  readonly change: ChangeById<ProductId, Product>;
}
