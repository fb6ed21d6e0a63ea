import type { Event } from '../events/event.ts';
import type { Product, ProductStatus } from '../marketplace/product.ts';
import type { Refused } from '../refusal.ts';

/** One page of a list, and how long the list is. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

export interface ProductFilter {
  readonly ownerId?: number | undefined;
  readonly isLive?: boolean | undefined;
  readonly status?: ProductStatus | undefined;
}

/** Products of the marketplace. */
export interface ProductStore {
  /** Adds a product under its slug, or under that slug with the lowest free suffix. `eventOf` is told the slug it got. */
  add(product: Omit<Product, 'id'>, eventOf: (slug: string) => Event): Promise<Product>;
  findById(id: number): Promise<Product | undefined>;
  findBySlug(slug: string): Promise<Product | undefined>;
  /** Newest first, so many from an offset on; `total` counts all that the filter lets through. */
  list(filter: ProductFilter, offset: number, limit: number): Promise<Page<Product>>;
  /** Loads, lets `decide` decide, saves status and time with the event; nothing comes between. `undefined` where there is none. */
  change<R extends string>(
    id: number,
    decide: (product: Product) => { product: Product; event: Event } | Refused<R>,
  ): Promise<Product | Refused<R> | undefined>;
}
