import type { VNode } from 'preact';
import { z } from 'zod';
import type { Event } from '../../../../core/events/event.ts';
import { subscriptionStatuses } from '../../../../core/ports/subscriptions.ts';
import { isOutside, type Order } from '../../../../core/purchases/order.ts';
import { agreedNext, agreedNow, isRunning, standingOf } from '../../../../core/purchases/subscription.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { type Fact, Facts, typed } from '../../ui/list.tsx';
import { agreedPrice } from '../../ui/offer-words.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { moneyOf } from '../../ui/prices.ts';
import { SubscriptionTag, subscriptionNames } from '../../ui/subscription-tag.tsx';
import { Day, Time } from '../../ui/time.tsx';
import { act } from '../kit/act.tsx';
import { reason } from '../kit/fields.ts';
import type { DashboardTools } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { notNow, ReasonField } from './asking.tsx';
import { OrderTable, type OrderTools, orderPath } from './subject.tsx';
import { subscriptionWords as words } from './subscription-words.ts';
import { words as orderWords } from './words.ts';

/** The acts on the subscription of an order, with the ends of their paths. */
const acts = {
  cancel: { path: 'unsubscribe', notice: 'sold_subscription_cancelled' },
  resume: { path: 'resume', notice: 'subscription_resumed' },
} as const;

const isPossible = {
  cancel: isRunning,
  resume: ({ subscription }: Order) => subscription?.isCancelled === true && subscription.status !== 'ended',
} as const satisfies Record<keyof typeof acts, (order: Order) => boolean>;

/** The pages on which a seller cancels or resumes a subscription for its buyer. */
export function subscriptionActs(tools: DashboardTools, order: Subject<Order>, own: OrderTools): Endpoint[] {
  return (['cancel', 'resume'] as const).flatMap((name) =>
    act(tools, order, {
      id: `selling-subscription-${name}`,
      name: acts[name].path,
      fields: z.object({ reason }),
      ask(at) {
        const { title, lead, submit, notNow: why } = words[name];
        if (!isPossible[name](at.one)) return notNow(title, why, at);
        return {
          title,
          lead,
          fields: <ReasonField />,
          submit,
          isDangerous: name === 'cancel',
          keep: name === 'cancel' ? words.cancel.keep : undefined,
        };
      },
      work: ({ one, visit, fields: { reason } }) => own.subscriptions[name](String(one.id), sellerIn(visit, reason)),
      notice: acts[name].notice,
      refusals: { subscription_ended: { text: words.ended } },
    }),
  );
}

/** The subscription that an order began, or a link to it from the order of a later payment. */
export function SubscriptionPart({
  order,
  payments,
  root,
  address,
}: {
  readonly order: Order;
  /** The orders of its later payments, oldest first. */
  readonly payments: readonly Order[];
  readonly root: string;
  /** The address of the order. */
  readonly address: string;
}): VNode | null {
  const { subscription, cycleOf, isLive, provider } = order;
  if (cycleOf !== null) {
    const first = { id: cycleOf, isLive };
    return (
      <p class="note">
        {words.paymentOf} <a href={`${root}${orderPath(first)}#subscription`}>{orderWords.nameOf(cycleOf)}</a>.
      </p>
    );
  }
  if (subscription === null) return null;
  const state = standingOf(subscription);
  const { part } = words;
  const possible = (['cancel', 'resume'] as const).filter((name) => isPossible[name](order));
  return (
    <section id="subscription">
      <PartHead title={part.title}>
        <SubscriptionTag state={state} />
      </PartHead>
      <div class="panel">
        <p>{state === 'running' && !isOutside(provider) ? part.askedHere : part.meaning[state]}</p>
        <Facts facts={factsOf(order)} />
        {possible.length > 0 && (
          <div class="choices">
            {possible.map((name) => (
              <ButtonLink
                key={name}
                href={`${address}/${acts[name].path}`}
                text={words[name].name}
                {...(name === 'cancel' && { look: 'danger' as const })}
              />
            ))}
          </div>
        )}
      </div>
      <PartHead title={part.payments} />
      {payments.length === 0 ? (
        <p class="blank">{part.noPayments}</p>
      ) : (
        <OrderTable root={root} label={part.payments} orders={payments.toReversed()} />
      )}
    </section>
  );
}

function factsOf(order: Order): (Fact | false)[] {
  const { subscription } = order;
  if (subscription === null) return [];
  const { part } = words;
  const { paidTo, endedAt, next } = subscription;
  const [now, later] = [agreedNow(order), agreedNext(order)];
  const isOn = isRunning(order);
  return [
    [part.offer, typed(now.offer?.name ?? now.title)],
    [part.price, agreedPrice(now)],
    standingOf(subscription) !== 'running' && [part.paidUntil, <Day key="paid" at={paidTo} />],
    standingOf(subscription) === 'running' && [
      part.nextPayment,
      <span key="next">
        {moneyOf(later.price, later.currency)} {part.on} <Day at={paidTo} />
      </span>,
    ],
    isOn && next !== null && [part.nextOffer, typed(`${later.offer?.name ?? ''}, ${agreedPrice(later)}`)],
    endedAt !== null && [part.endedAt, <Day key="ended" at={endedAt} />],
  ];
}

/** How the subscription was after a change of it. */
export function subscriptionDetails({ status, is_cancelled: isCancelled, paid_to: paidTo, offer }: Event['data']) {
  const known = subscriptionStatuses.find((one) => one === status);
  const { history } = words;
  return [
    [history.state, known && subscriptionNames[standingOf({ status: known, isCancelled: isCancelled === true })]],
    [history.paidUntil, typeof paidTo === 'number' ? <Time at={paidTo} /> : undefined],
    [history.offer, typeof offer === 'string' && known ? offer : undefined],
  ] as const;
}
