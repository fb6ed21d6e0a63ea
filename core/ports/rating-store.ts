import type { Event } from '../events/event.ts';
import type { ProductId, RatingId } from '../id.ts';
import type { Rating, RatingState, StarCounts } from '../ratings/rating.ts';
import type { ChangeById, News } from './change.ts';

export interface RatingQuery {
  /** Of all products without it. */
  readonly productId?: ProductId | undefined;
  readonly states: readonly RatingState[];
  /** Only ratings with smaller ids, for the next page. */
  readonly before?: RatingId | undefined;
  readonly limit: number;
}

/** The ratings of products. How many stars a product got is counted with each change, so that nobody counts all ratings. */
export interface RatingStore {
  findById(id: RatingId): Promise<Rating | undefined>;
  /** Returns the rating of a product by this address. */
  findOf(productId: ProductId, buyerEmail: string): Promise<Rating | undefined>;
  /** Newest first. */
  list(query: RatingQuery): Promise<Rating[]>;
  /** Returns what is counted, for those products that have shown ratings. */
  counts(productIds: readonly ProductId[]): Promise<ReadonlyMap<ProductId, StarCounts>>;
  /** Returns `undefined` and stores nothing if the product already has a rating by this address. */
  add(rating: Omit<Rating, 'id'>, event: Event, news: News): Promise<Rating | undefined>;
  readonly change: ChangeById<RatingId, Rating>;
}
