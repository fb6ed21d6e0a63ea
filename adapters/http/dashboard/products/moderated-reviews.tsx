import { z } from 'zod';
import type { RatingState } from '../../../../core/ratings/rating.ts';
import type { RatedProduct, Ratings } from '../../../../core/ratings/ratings.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, areas, entryOf } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Filter, FilterSelect } from '../../ui/filter.tsx';
import { AreaField, ButtonForm, named } from '../../ui/form.tsx';
import { Facts } from '../../ui/list.tsx';
import { Paging } from '../../ui/paging.tsx';
import { RatingText, ratingWords } from '../../ui/rating.tsx';
import { act, actAtOnce } from '../kit/act.tsx';
import { shown } from '../kit/answer.ts';
import { optional } from '../kit/fields.ts';
import { actorOf, actorWith, type DashboardTools, orFail, page } from '../kit/page.ts';
import { addressWith, choicesIn, chosen } from '../kit/query.ts';
import { type Subject, subjectPage } from '../kit/subject-page.tsx';
import { words } from './review-words.ts';
import { StateTag } from './reviews.tsx';
import { moderatedPath } from './subject.tsx';
import { moderation } from './words.ts';

const { moderator: names, seller } = words;
const perPage = 20;
const states = ['reported', 'shown', 'hidden'] as const satisfies RatingState[];
const path = `${areas.admin.moderation}/reviews`;

/** The dependencies of the pages about reviews, for moderators. */
export interface ModeratedRatingTools {
  readonly ratings: Pick<Ratings, 'inStates' | 'moderated' | 'decide'>;
}

/** The reviews of all products, those that were reported first, and what moderators decide about one. */
export function moderatedRatingPages(tools: DashboardTools, { ratings }: ModeratedRatingTools): Endpoint[] {
  const subject: Subject<RatedProduct> = {
    path: `/${path}/:review`,
    audience: 'products:moderate',
    find: async (visit) => orFail(await ratings.moderated(visit.params.review ?? '', actorOf(visit))),
    about: ({ rating, product }) => ({
      name: seller.one(rating.name),
      path: `${path}/${rating.id}`,
      place: { area: 'admin', at: 'moderation' },
      above: [
        entryOf({ area: 'admin', at: 'moderation' }),
        { path, title: names.title },
        { path: moderatedPath(product), title: product.title },
      ],
    }),
  };
  const listed = () => path;
  return [
    page(tools, {
      id: 'moderated-reviews',
      path: `/${path}`,
      audience: 'products:moderate',
      async show(visit) {
        const { frame } = visit;
        const { state: wanted, after } = choicesIn(visit, 'state', 'after');
        const state = chosen(wanted, states) ?? 'reported';
        const { rated, next } = orFail(await ratings.inStates([state], after || undefined, perPage, actorOf(visit)));
        const address = `${frame.root}${path}`;
        const at = (place: string) => addressWith(address, { state: state === 'reported' ? '' : state, after: place });
        return shown(
          <AreaPage frame={frame} place={{ area: 'admin', at: 'moderation' }} isBelow title={names.title}>
            <Filter isActive={false} clear={address}>
              <FilterSelect name="state" label={names.state} value={state} options={named(states, words.states)} />
            </Filter>
            {rated.length === 0 ? (
              <EmptyState heading="h2" icon="moderation" title={names.none}>
                <p>{names.noneAdvice}</p>
              </EmptyState>
            ) : (
              <ul class="rows panel">
                {rated.map(({ rating, product }) => (
                  <li key={rating.id} class="row">
                    <div class="about">
                      <h2>
                        <a href={`${address}/${rating.id}`} dir="auto" class="breakable">
                          {names.about(rating.name ?? ratingWords.buyer, product.title)}
                        </a>
                      </h2>
                      <RatingText rating={rating} />
                    </div>
                  </li>
                ))}
              </ul>
            )}
            <Paging
              label={seller.pages}
              back={after === '' ? undefined : { href: at(''), title: seller.newest }}
              on={next === null ? undefined : { href: at(next), title: seller.older }}
            />
          </AreaPage>,
        );
      },
    }),

    subjectPage(tools, subject, {
      id: 'moderated-review',
      show: ({ one: { rating, product }, root, address }) => ({
        actions: (
          <div class="choices">
            {(rating.state === 'reported' || rating.state === 'hidden') && (
              <ButtonForm
                action={`${address}/keep`}
                label={rating.state === 'hidden' ? names.show : names.keep}
                look=""
              />
            )}
            {(rating.state === 'reported' || rating.state === 'shown') && (
              <ButtonLink href={`${address}/hide`} text={names.hide} look="danger" />
            )}
          </div>
        ),
        children: (
          <section class="panel">
            <RatingText rating={rating}>
              <StateTag rating={rating} />
            </RatingText>
            <Facts
              facts={[
                [
                  names.product,
                  <a key="product" href={`${root}${moderatedPath(product)}`} dir="auto">
                    {product.title}
                  </a>,
                ],
                [names.buyer, rating.buyerEmail],
                ...(rating.report === null ? [] : [[names.why, rating.report] as const]),
              ]}
            />
          </section>
        ),
      }),
    }),

    actAtOnce(tools, subject, {
      id: 'keep-review',
      name: 'keep',
      work: ({ one: { rating }, visit }) => ratings.decide(String(rating.id), 'shown', actorOf(visit)),
      to: listed,
      notice: 'rating_kept',
      refusals: { withdrawn: names.withdrawn },
    }),

    ...act(tools, subject, {
      id: 'hide-review',
      name: 'hide',
      fields: z.object({ reason: optional(500) }),
      ask: () => ({
        title: names.hideTitle,
        lead: names.hideLead,
        fields: <AreaField name="reason" label={moderation.rejectReason} rows={3} />,
        submit: names.hideSubmit,
        isDangerous: true,
      }),
      work: ({ one: { rating }, visit, fields: { reason } }) =>
        ratings.decide(String(rating.id), 'hidden', actorWith(visit, reason)),
      to: listed,
      notice: 'rating_hidden',
      refusals: { withdrawn: { text: names.withdrawn } },
    }),
  ];
}
