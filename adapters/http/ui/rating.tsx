import type { ComponentChildren, VNode } from 'preact';
import { mostStars, type Rating, type RatingSum } from '../../../core/ratings/rating.ts';
import { counted } from './numbers.ts';
import { Time } from './time.tsx';

/** What pages call ratings. */
export const ratingWords = {
  title: 'Reviews',
  reviews: (count: number) => counted(count, 'review'),
  stars: (stars: number) => `${stars} of ${mostStars} stars`,
  buyer: 'A buyer',
  reply: 'Reply of the seller',
  edited: 'changed',
};

/** A number of stars, such as 4.6. Half of a star is not drawn. */
function Stars({ stars }: { readonly stars: number }): VNode {
  const full = Math.round(stars);
  return (
    <span class="stars" role="img" aria-label={ratingWords.stars(stars)}>
      {'★'.repeat(full)}
      <span class="no-stars">{'★'.repeat(mostStars - full)}</span>
    </span>
  );
}

/** The average of a product in one line, such as "4.6 ★ 12 reviews". */
export function RatingLine({ sum: { count, average } }: { readonly sum: RatingSum }): VNode {
  return (
    <>
      <Stars stars={average} /> {average.toFixed(1)} <span class="faint">({ratingWords.reviews(count)})</span>
    </>
  );
}

/** One rating, with the seller's reply. All of it is shown as plain text. */
export function RatingText({
  rating: { stars, name, text, createdAt, reply, repliedAt },
  children,
}: {
  readonly rating: Rating;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <>
      <p class="rating-head">
        <Stars stars={stars} /> <bdi>{name ?? ratingWords.buyer}</bdi>{' '}
        <span class="faint">
          <Time at={createdAt} />
        </span>
        {children}
      </p>
      {text !== '' && (
        <p class="lines" dir="auto">
          {text}
        </p>
      )}
      {reply !== null && (
        <blockquote class="reply">
          <p class="faint">
            {ratingWords.reply} {repliedAt !== null && <Time at={repliedAt} />}
          </p>
          <p class="lines" dir="auto">
            {reply}
          </p>
        </blockquote>
      )}
    </>
  );
}
