import type { OrderId, ProductId, RatingId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';

/**
 * The states of a rating. A seller `reported` one: it is shown until an administrator decides. `hidden`: an administrator hid it.
 * `withdrawn`: its buyer took it back.
 */
export const ratingStates = ['shown', 'reported', 'hidden', 'withdrawn'] as const;
export type RatingState = (typeof ratingStates)[number];

export const mostStars = 5;

/** The largest numbers of characters. */
export const ratingLimits = { text: 2000, name: 80, reply: 2000, report: 500 } as const;

/** The part of a rating that its buyer writes. */
export interface GivenRating {
  /** From 1 to `mostStars`. */
  readonly stars: number;
  /** The name that others see. `null`: none. */
  readonly name: string | null;
  /** Plain text. May be empty. */
  readonly text: string;
}

/** The rating of a product by somebody who bought it. Pages call it a review. */
export interface Rating extends GivenRating {
  readonly id: RatingId;
  readonly productId: ProductId;
  /** The order that gave the right to rate. */
  readonly orderId: OrderId;
  /** In lower case. Nobody but administrators sees it. Each product has one rating by each address. */
  readonly buyerEmail: string;
  readonly state: RatingState;
  /** The seller's reply. */
  readonly reply: string | null;
  readonly repliedAt: Instant | null;
  /** Why the seller reported it. Stays when an administrator has decided, until its buyer changes it. */
  readonly report: string | null;
  readonly createdAt: Instant;
  readonly changedAt: Instant;
}

/** Whether everybody sees it, and it counts. */
export function isShown({ state }: Pick<Rating, 'state'>): boolean {
  return state === 'shown' || state === 'reported';
}

/** How many ratings of a product have 1, 2, 3, 4 and 5 stars. */
export type StarCounts = readonly number[];

export interface RatingSum {
  readonly count: number;
  /** With one decimal. 0 if there are none. */
  readonly average: number;
}

export function sumOf(counts: StarCounts): RatingSum {
  const count = counts.reduce((sum, some) => sum + some, 0);
  const stars = counts.reduce((sum, some, at) => sum + some * (at + 1), 0);
  return { count, average: count === 0 ? 0 : Math.round((10 * stars) / count) / 10 };
}
