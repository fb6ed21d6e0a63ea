import type { Event } from '../events/event.ts';
import type { ProductId, UserId } from '../id.ts';
import type { Product, ProductStatus, ProductSummary } from '../marketplace/product.ts';
import type { ChangeById } from './change.ts';

/** One page of a list, and the length of the whole list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

export interface ProductFilter {
  readonly ownerId?: UserId | undefined;
  readonly isLive?: boolean | undefined;
  readonly status?: ProductStatus | undefined;
}

/** A place in the list of public products: beside this product, which need not be in the list any more. */
export type PublicPlace = { readonly olderThan: ProductId } | { readonly newerThan: ProductId };

/** Products of the marketplace. */
export interface ProductStore {
  /** Adds a product under its slug, or under the slug with the lowest free suffix. `eventOf` gets the final slug. */
  add(product: Omit<Product, 'id'>, eventOf: (slug: string) => Event): Promise<Product>;
  findById(id: ProductId): Promise<Product | undefined>;
  findBySlug(slug: string): Promise<Product | undefined>;
  /** Returns at most `limit` products from `offset` on, newest first. `total` counts all that match the filter. */
  list(filter: ProductFilter, offset: number, limit: number): Promise<Page<Product>>;
  /**
   * Returns at most `limit` public products next to the place, or the newest ones without a place. Newest first. May be
   * some seconds old.
   */
  listPublic(place: PublicPlace | undefined, limit: number): Promise<ProductSummary[]>;
  /**
   * Loads a product, calls `decide`, and saves status and time with the event. Nothing else changes the product in
   * between. Returns `undefined` if the product does not exist.
   */
  readonly change: ChangeById<ProductId, Product>;
}
