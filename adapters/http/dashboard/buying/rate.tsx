import type { VNode } from 'preact';
import { z } from 'zod';
import type { Order } from '../../../../core/purchases/order.ts';
import { ratingLimits } from '../../../../core/ratings/rating.ts';
import type { CannotRate, Ratings } from '../../../../core/ratings/ratings.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { AreaField, ButtonForm, ChoiceField, Form, TextField } from '../../ui/form.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { RatingText } from '../../ui/rating.tsx';
import { goTo } from '../kit/answer.ts';
import { oneOf, optional } from '../kit/fields.ts';
import { click, form } from '../kit/form.ts';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { words } from '../products/review-words.ts';
import { type BuyingTools, OrderFrame, orderIn, pathOf } from './frame.tsx';

const { own: names, rate } = words;

/** What the buyer of an order has written about the product, or may write. */
export type OwnRating = Awaited<ReturnType<Ratings['ofBuyer']>>;

/** The buyer's review on the page of the order. Shows nothing if there never can be one. */
export function RatingPart({
  found,
  order,
  root,
}: {
  readonly found: OwnRating;
  readonly order: Order;
  readonly root: string;
}): VNode | null {
  const address = `${root}${pathOf(order)}/review`;
  const { rating, cannot } = found;
  if (rating === undefined) {
    if (cannot !== undefined && !isExplained(cannot)) return null;
    return (
      <section id="review">
        <PartHead title={names.title} lead={cannot ? names.cannot[cannot] : names.none}>
          {cannot === undefined && <ButtonLink href={address} text={names.write} />}
        </PartHead>
      </section>
    );
  }
  return (
    <section id="review">
      <PartHead title={names.title} lead={rating.state === 'hidden' ? names.hidden : undefined}>
        <div class="choices">
          {cannot === undefined && <ButtonLink href={address} text={names.change} look="small" />}
          <ButtonForm action={`${address}/withdraw`} label={names.withdraw} />
        </div>
      </PartHead>
      <div class="panel">
        <RatingText rating={rating} />
      </div>
    </section>
  );
}

/** Whether the page says why somebody cannot write a review. Other reasons are clear from the rest of the page. */
function isExplained(reason: CannotRate): reason is keyof typeof names.cannot {
  return Object.hasOwn(names.cannot, reason);
}

const fields = z.object({
  stars: oneOf(['1', '2', '3', '4', '5'], rate.noStars),
  name: optional(ratingLimits.name),
  text: optional(ratingLimits.text),
});

/** The form for the buyer's review, and the button that takes it back. */
export function ratePages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  const refusals = {
    ...{ not_bought: { text: rate.cannot }, not_for_sale: { text: rate.cannot }, own_product: { text: rate.cannot } },
    was_free: { text: names.cannot.was_free },
    needs_account: { text: names.cannot.needs_account },
    not_in_use: { text: names.cannot.not_in_use },
    rated_before: { text: names.cannot.rated_before },
  };
  return [
    ...form(tools, {
      id: 'order-review',
      path: '/orders/:token/review',
      audience: 'anybody',
      fields,
      async initial(visit) {
        const order = await orderIn(own, visit);
        const found = await own.ratings.ofBuyer(order);
        if (found.cannot !== undefined) throw new Failure('not_found');
        const { stars, name, text } = found.rating ?? { stars: '', name: order.buyer.name, text: '' };
        return { stars: String(stars), name: name ?? '', text };
      },
      async render(visit, state) {
        const order = await orderIn(own, visit);
        const back = `${visit.frame.root}${pathOf(order)}#review`;
        return (
          <OrderFrame visit={visit} order={order} title={rate.title(order.agreed.title)}>
            <Form state={state} submit={rate.submit} cancel={back}>
              <ChoiceField name="stars" type="radio" label={rate.stars} options={rate.choices} />
              <AreaField name="text" label={rate.text} hint={rate.textHint} rows={6} />
              <TextField name="name" label={rate.name} hint={rate.nameHint} autocomplete="name" />
            </Form>
          </OrderFrame>
        );
      },
      async act(visit, { stars, name, text }) {
        const order = await orderIn(own, visit);
        const done = await own.ratings.rate(order, { stars: Number(stars), name: name || null, text });
        return isRefused(done) ? done : goTo(pathOf(order), { notice: 'rating_saved' });
      },
      refusals,
    }),
    click(tools, {
      id: 'order-review-withdraw',
      path: '/orders/:token/review/withdraw',
      audience: 'anybody',
      async act(visit) {
        const order = await orderIn(own, visit);
        const done = orFail(await own.ratings.withdraw(order));
        return isRefused(done) ? done : goTo(pathOf(order), { notice: 'rating_withdrawn' });
      },
      refusals: { nothing_to_withdraw: words.withdrawn },
    }),
  ];
}
