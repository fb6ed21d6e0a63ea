import type { VNode } from 'preact';
import { z } from 'zod';
import type { Product } from '../../../../core/marketplace/product.ts';
import { type Rating, ratingLimits } from '../../../../core/ratings/rating.ts';
import type { RatedProduct, Ratings } from '../../../../core/ratings/ratings.ts';
import type { Endpoint } from '../../surface.ts';
import { areas, entryOf } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { AreaField } from '../../ui/form.tsx';
import { Paging } from '../../ui/paging.tsx';
import { RatingText } from '../../ui/rating.tsx';
import { act } from '../kit/act.tsx';
import { optional, required } from '../kit/fields.ts';
import { type DashboardTools, orFail, type SignedInVisit } from '../kit/page.ts';
import { modeIn, sellerIn, sellingPath } from '../kit/selling.tsx';
import { type Subject, subjectPage } from '../kit/subject-page.tsx';
import { words } from './review-words.ts';

const { seller: names } = words;
const perPage = 20;

/** The dependencies of the pages about reviews, for sellers. */
export interface SellerRatingTools {
  readonly ratings: Pick<Ratings, 'ofProduct' | 'find' | 'reply' | 'report'>;
}

const listPath = (visit: SignedInVisit, { id }: Product) => sellingPath(visit, `products/${id}/reviews`);

/** The reviews of a product for its seller, and what the seller does about one. */
export function sellerRatingPages(
  tools: DashboardTools,
  product: Subject<Product>,
  { ratings }: SellerRatingTools,
): Endpoint[] {
  const subject = sellersRating(product, ratings);
  return [
    subjectPage(tools, product, {
      id: 'product-reviews',
      below: '/reviews',
      async show({ one, visit, address }) {
        const { after = '' } = visit.query;
        const page = orFail(await ratings.ofProduct(String(one.id), after || undefined, perPage, sellerIn(visit)));
        return {
          title: names.title,
          children: (
            <>
              {page.ratings.length === 0 && (
                <EmptyState heading="h2" title={names.none}>
                  <p>{names.noneAdvice}</p>
                </EmptyState>
              )}
              {page.ratings.length > 0 && (
                <ul class="rows panel">
                  {page.ratings.map((rating) => (
                    <li key={rating.id} class="row">
                      <div class="about">
                        <RatingText rating={rating}>
                          <StateTag rating={rating} />
                        </RatingText>
                      </div>
                      <RatingActs rating={rating} address={`${address}/reviews/${rating.id}`} />
                    </li>
                  ))}
                </ul>
              )}
              <Paging
                label={names.pages}
                back={after === '' ? undefined : { href: `${address}/reviews`, title: names.newest }}
                on={
                  page.next === null ? undefined : { href: `${address}/reviews?after=${page.next}`, title: names.older }
                }
              />
            </>
          ),
        };
      },
    }),

    subjectPage(tools, subject, {
      id: 'product-review',
      show: ({ one: { rating }, address }) => ({
        actions: <RatingActs rating={rating} address={address} />,
        children: (
          <section class="panel">
            <RatingText rating={rating}>
              <StateTag rating={rating} />
            </RatingText>
          </section>
        ),
      }),
    }),

    ...act(tools, subject, {
      id: 'reply-to-review',
      name: 'reply',
      fields: z.object({ reply: optional(ratingLimits.reply) }),
      initial: ({ one: { rating } }) => ({ reply: rating.reply ?? '' }),
      ask: ({ one: { rating } }) => ({
        title: names.reply,
        lead: (
          <div class="intro">
            <RatingText rating={{ ...rating, reply: null }} />
            <p>{names.replyLead}</p>
          </div>
        ),
        fields: <AreaField name="reply" label={names.replyField} rows={6} />,
        submit: names.replySubmit,
      }),
      work: ({ one: { rating }, visit, fields: { reply } }) => ratings.reply(String(rating.id), reply, sellerIn(visit)),
      to: (_, { one, visit }) => listPath(visit, one.product),
      notice: 'rating_replied',
      refusals: {},
    }),

    ...act(tools, subject, {
      id: 'report-review',
      name: 'report',
      fields: z.object({ why: required(ratingLimits.report, names.noWhy) }),
      ask: ({ one: { rating } }) => ({
        title: names.reportTitle,
        lead: (
          <div class="intro">
            <RatingText rating={rating} />
            <p>{names.reportLead}</p>
          </div>
        ),
        fields: <AreaField name="why" label={names.why} rows={4} />,
        submit: names.reportSubmit,
      }),
      work: ({ one: { rating }, visit, fields: { why } }) => ratings.report(String(rating.id), why, sellerIn(visit)),
      to: (_, { one, visit }) => listPath(visit, one.product),
      notice: 'rating_reported',
      refusals: { not_shown: { text: names.notShown }, decided: { text: names.decided } },
    }),
  ];
}

function sellersRating(product: Subject<Product>, ratings: SellerRatingTools['ratings']): Subject<RatedProduct> {
  return {
    path: `/${areas.selling.products}/:id/reviews/:review`,
    audience: product.audience,
    find: async (visit) => orFail(await ratings.find(visit.params.review ?? '', sellerIn(visit))),
    about: ({ rating, product }, visit) => ({
      name: names.one(rating.name),
      path: `${listPath(visit, product)}/${rating.id}`,
      place: { area: 'selling', at: 'products' },
      mode: modeIn(visit),
      above: [
        entryOf({ area: 'selling', at: 'products' }, modeIn(visit)),
        { path: sellingPath(visit, `products/${product.id}`), title: product.title },
        { path: listPath(visit, product), title: names.title },
      ],
    }),
  };
}

/** The state of a rating. The usual one is not mentioned. */
export function StateTag({ rating: { state } }: { readonly rating: Rating }): VNode | null {
  if (state === 'shown') return null;
  return <span class={state === 'reported' ? 'tag busy' : 'tag'}>{words.states[state]}</span>;
}

function RatingActs({
  rating: { state, reply, report },
  address,
}: {
  readonly rating: Rating;
  readonly address: string;
}): VNode {
  return (
    <div class="choices">
      <ButtonLink href={`${address}/reply`} text={reply === null ? names.reply : names.changeReply} look="small" />
      {state === 'shown' && report === null && (
        <ButtonLink href={`${address}/report`} text={names.report} look="small" />
      )}
    </div>
  );
}
