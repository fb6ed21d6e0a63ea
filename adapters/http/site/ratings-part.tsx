import type { VNode } from 'preact';
import type { Product } from '../../../core/marketplace/product.ts';
import { mostStars, type RatingSum, type StarCounts, sumOf } from '../../../core/ratings/rating.ts';
import type { RatingPage, Ratings } from '../../../core/ratings/ratings.ts';
import { isRefused } from '../../../core/refusal.ts';
import { readableNumber } from '../ui/numbers.ts';
import { Paging } from '../ui/paging.tsx';
import { RatingLine, RatingText, ratingWords } from '../ui/rating.tsx';
import { words } from './words.ts';

const perPage = 10;

/** The ratings of a product, as its page shows them. */
export interface ShownRatings {
  readonly counts: StarCounts;
  readonly sum: RatingSum;
  readonly page: RatingPage;
  readonly isFirst: boolean;
}

/** Reads a page of ratings. An address with an invalid place shows the first page. */
export async function shownRatings(
  ratings: Pick<Ratings, 'shown' | 'counts'>,
  { id }: Product,
  after: unknown,
): Promise<ShownRatings> {
  const place = typeof after === 'string' && after !== '' ? after : undefined;
  const [asked, all] = await Promise.all([ratings.shown(id, place, perPage), ratings.counts([id])]);
  const isFirst = place === undefined || isRefused(asked);
  const page = isRefused(asked) ? await ratings.shown(id, undefined, perPage) : asked;
  if (isRefused(page)) throw new Error(page.reason);
  const counts = all.get(id) ?? [];
  return { counts, sum: sumOf(counts), page, isFirst };
}

/** What buyers say of a product. */
export function RatingsPart({
  ratings: { counts, sum, page, isFirst },
  address,
}: {
  readonly ratings: ShownRatings;
  /** The address of the product's page. */
  readonly address: string;
}): VNode {
  const names = words.ratings;
  return (
    <section class="ratings" id="reviews" aria-labelledby="reviews-title">
      <h2 id="reviews-title">{ratingWords.title}</h2>
      {sum.count === 0 ? (
        <p class="faint">{names.none}</p>
      ) : (
        <>
          <p>
            <RatingLine sum={sum} />
          </p>
          <ul class="star-counts" aria-label={names.counts}>
            {[...counts]
              .map((count, at) => ({ count, stars: at + 1 }))
              .reverse()
              .map(({ count, stars }) => (
                <li key={stars}>
                  <span>
                    {stars}
                    <span aria-hidden="true"> ★</span>
                  </span>
                  <meter min={0} max={sum.count} value={count} aria-label={ratingWords.stars(stars)} />
                  <span>{readableNumber(count)}</span>
                </li>
              ))}
          </ul>
        </>
      )}
      {page.ratings.length > 0 && (
        <ul class="rating-list">
          {page.ratings.map((rating) => (
            <li key={rating.id}>
              <RatingText rating={rating} />
            </li>
          ))}
        </ul>
      )}
      <Paging
        label={names.pages}
        back={isFirst ? undefined : { href: `${address}#reviews`, title: names.newest }}
        on={page.next === null ? undefined : { href: `${address}?reviews=${page.next}#reviews`, title: names.older }}
      />
    </section>
  );
}

/** The average in the words of schema.org. Empty if nobody has rated the product. */
export function ratingData({ count, average }: RatingSum): object {
  if (count === 0) return {};
  return {
    aggregateRating: { '@type': 'AggregateRating', ratingValue: average, reviewCount: count, bestRating: mostStars },
  };
}
