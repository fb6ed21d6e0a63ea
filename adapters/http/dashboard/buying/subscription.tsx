import type { VNode } from 'preact';
import { z } from 'zod';
import type { License } from '../../../../core/licensing/license.ts';
import { isOutside, type Order } from '../../../../core/purchases/order.ts';
import type { Subscribing } from '../../../../core/purchases/subscribing.ts';
import { agreedNext, agreedNow, isRunning, standingOf } from '../../../../core/purchases/subscription.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ButtonForm, Form } from '../../ui/form.tsx';
import { type Fact, Facts, typed } from '../../ui/list.tsx';
import { agreedPrice } from '../../ui/offer-words.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { moneyOf } from '../../ui/prices.ts';
import type { ShownSubscription } from '../../ui/subscription-tag.tsx';
import { Day } from '../../ui/time.tsx';
import { goTo, leaveTo } from '../kit/answer.ts';
import { click, form } from '../kit/form.ts';
import { type DashboardTools, page, type Visit } from '../kit/page.ts';
import { type BuyingTools, OrderFrame, orderIn, pathOf } from './frame.tsx';
import { subscriptionWords as names } from './subscription-words.ts';
import { byIn } from './ways.tsx';

type Found = NonNullable<Awaited<ReturnType<Subscribing['of']>>>;

/** The pages on which a buyer cancels or resumes a subscription, or changes the card. */
export function subscriptionPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  async function found(visit: Visit) {
    const order = await orderIn(own, visit);
    const subscription = await own.subscribing.of(order);
    if (subscription === undefined) throw new Failure('not_found');
    return { page: order, ...subscription };
  }

  return [
    ...form(tools, {
      id: 'order-unsubscribe',
      path: '/orders/:token/unsubscribe',
      audience: 'anybody',
      fields: z.object({}),
      async render(visit, state) {
        const { page, order } = await found(visit);
        const license = (await own.licenses.show(page))?.license;
        const { paidTo = 0 } = order.subscription ?? {};
        return (
          <OrderFrame visit={visit} order={page} title={names.cancelTitle}>
            <p class="lead">
              {names.cancelLead} {license?.expiresAt === null ? names.cancelUpdates : names.worksUntil}{' '}
              <Day at={paidTo} />.
            </p>
            <Form
              state={state}
              submit={names.cancelSubmit}
              cancel={`${visit.frame.root}${pathOf(page)}#subscription`}
              keep={names.keep}
              isDangerous
            />
          </OrderFrame>
        );
      },
      async act(visit) {
        const { page, order } = await found(visit);
        const done = await own.subscribing.cancel(order, byIn(visit, order));
        return isRefused(done) ? done : goTo(`${pathOf(page)}#subscription`, { notice: 'subscription_cancelled' });
      },
      refusals: { subscription_ended: { text: names.gone } },
    }),

    click(tools, {
      id: 'order-resume',
      path: '/orders/:token/resume',
      audience: 'anybody',
      async act(visit: Visit) {
        const { page, order } = await found(visit);
        const done = await own.subscribing.resume(order, byIn(visit, order));
        return isRefused(done) ? done : goTo(`${pathOf(page)}#subscription`, { notice: 'subscription_resumed' });
      },
      refusals: { subscription_ended: names.gone },
    }),

    page(tools, {
      id: 'order-card',
      path: '/orders/:token/card',
      audience: 'anybody',
      async show(visit) {
        const { page, order } = await found(visit);
        const address = await own.subscribing.manage(order, `${own.baseUrl}/${pathOf(page)}`);
        return address === undefined ? goTo(pathOf(page)) : leaveTo(address);
      },
    }),
  ];
}

/** How a subscription stands, for its buyer. */
export function standingFor({ order, due }: Found): ShownSubscription {
  const state = standingOf(order.subscription ?? { status: 'ended', isCancelled: false });
  return state === 'running' && due !== undefined ? 'due' : state;
}

/** Whether the buyer has to do something, so that the subscription comes first on the page. */
export function needsBuyer(found: Found): boolean {
  return ['due', 'past_due', 'ended'].includes(standingFor(found));
}

/** The offer that is subscribed to, until the subscription has ended. */
export function offerNow({ order }: Found): string | undefined {
  return order.subscription?.status === 'ended' ? undefined : agreedNow(order).offer?.slug;
}

/** The title of the offers below a subscription. */
export function offersTitle({ order }: Found): string {
  return order.subscription?.status === 'ended' ? names.againTitle : names.changeTitle;
}

/** The subscription of the license on the page of its order, and what the buyer can do with it. */
export function SubscriptionPart({
  found,
  page,
  license,
  root,
}: {
  readonly found: Found;
  /** The order on whose page it is. */
  readonly page: Order;
  readonly license: Pick<License, 'expiresAt'> | undefined;
  readonly root: string;
}): VNode | null {
  const { order, due } = found;
  const { subscription } = order;
  if (subscription === null) return null;
  const { status, isCancelled, payAt } = subscription;
  const address = `${root}${pathOf(page)}`;
  const isOver = status === 'ended';
  return (
    <section id="subscription">
      <PartHead title={names.title} />
      <div class={status === 'past_due' ? 'panel state bad' : 'panel'}>
        <p>
          {names.states[stateOf(found)]} <Until status={status} isCancelled={isCancelled} license={license} />
        </p>
        <Facts facts={factsOf(found)} />
        {!isOver && (
          <div class="choices">
            {payAt !== null && <ButtonLink href={payAt} text={names.pay} look="primary" />}
            {due !== undefined && (
              <ButtonLink
                href={`${root}${pathOf(due)}`}
                text={names.payHere(moneyOf(due.agreed.price, due.agreed.currency))}
                look="primary"
              />
            )}
            {isOutside(order.provider) && <ButtonLink href={`${address}/card`} text={names.card} />}
            {isRunning(order) && <ButtonLink href={`${address}/unsubscribe`} text={names.cancel} look="danger" />}
            {isCancelled && <ButtonForm action={`${address}/resume`} label={names.resume} look="" />}
          </div>
        )}
      </div>
    </section>
  );
}

function stateOf(found: Found): keyof typeof names.states {
  const state = standingFor(found);
  if (state !== 'running') return state;
  return isOutside(found.order.provider) ? 'active' : 'askedHere';
}

/** Until when the license works, if its end is near. */
function Until({
  status,
  isCancelled,
  license,
}: {
  readonly status: string;
  readonly isCancelled: boolean;
  readonly license: Pick<License, 'expiresAt'> | undefined;
}): VNode | null {
  const isNear = status !== 'ended' && (status !== 'active' || isCancelled);
  if (license === undefined || !isNear) return null;
  if (license.expiresAt === null) return <>{names.worksForEver}</>;
  return (
    <>
      {names.worksUntil} <Day at={license.expiresAt} />.
    </>
  );
}

function factsOf(found: Found): (Fact | false)[] {
  const { order } = found;
  const { subscription } = order;
  const [now, next] = [agreedNow(order), agreedNext(order)];
  const isOn = isRunning(order);
  const state = standingFor(found);
  const paidTo = <Day key="to" at={subscription?.paidTo ?? 0} />;
  return [
    [names.offer, typed(now.offer?.name ?? now.title)],
    [names.price, agreedPrice(now)],
    isOn && [
      state === 'past_due' ? names.missed : state === 'due' ? names.due : names.next,
      <span key="next">
        {moneyOf(next.price, next.currency)} {names.on} {paidTo}
      </span>,
    ],
    isOn && subscription?.next != null && [names.nextOffer, `${next.offer?.name ?? ''}, ${agreedPrice(next)}`],
    !isOn && [names.paidUntil, paidTo],
  ];
}
