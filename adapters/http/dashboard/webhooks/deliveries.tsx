import type { VNode } from 'preact';
import type { ShownWebhook } from '../../../../core/selling/find-webhook.ts';
import {
  type Attempt,
  type Delivery,
  type DeliveryEntry,
  deliveryStates,
  isWornOut,
} from '../../../../core/webhooks/delivery.ts';
import { webhookEventTypes } from '../../../../core/webhooks/webhook-event.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { NoRows } from '../../ui/empty-state.tsx';
import { ButtonForm } from '../../ui/form.tsx';
import { type Fact, Facts, List } from '../../ui/list.tsx';
import { Time } from '../../ui/time.tsx';
import { actAtOnce } from '../kit/act.tsx';
import { Listing, withAll } from '../kit/listing.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { choicesOf, chosen, startOf } from '../kit/query.ts';
import { sellerIn } from '../kit/selling.tsx';
import { type Subject, subjectPage } from '../kit/subject-page.tsx';
import { DeliveryTag, deliverySubject, type WebhookTools } from './subject.tsx';
import { words } from './words.ts';

const { deliveries: all, delivery: one } = words;
const perPage = 50;

const filters = {
  state: { label: all.state, options: withAll(all.states) },
  event: { label: all.event, options: withAll(Object.fromEntries(webhookEventTypes.map((type) => [type, type]))) },
  from: { label: all.from, isDate: true },
  to: { label: all.to, isDate: true },
};

/** The deliveries to a webhook, one delivery with all its attempts, and sending it again. */
export function deliveryPages(tools: DashboardTools, webhook: Subject<ShownWebhook>, own: WebhookTools): Endpoint[] {
  const { webhooks } = own;
  const delivery = deliverySubject(own, webhook);
  return [
    subjectPage(tools, webhook, {
      id: 'webhook-deliveries',
      below: '/deliveries',
      async show({ one: { endpoint }, visit, address: own }) {
        const choices = choicesOf(visit, filters);
        const after = visit.query.after || undefined;
        const query = {
          state: chosen(choices.state, deliveryStates),
          type: chosen(choices.event, webhookEventTypes),
          from: startOf(choices.from),
          to: startOf(choices.to, 1),
          after,
          limit: perPage,
        };
        const { deliveries, next } = orFail(await webhooks.deliveries(String(endpoint.id), query, sellerIn(visit)));
        const address = `${own}/deliveries`;
        return {
          title: all.title,
          actions: endpoint.off === null && <ButtonLink href={`${own}/replay`} text={words.replay.title} />,
          children: (
            <>
              <p class="intro">{all.kept}</p>
              <Listing
                fields={filters}
                found={{ rows: deliveries, next }}
                part={{ address, choices, after, afterName: 'after' }}
                none={{ title: all.noneFound, advice: all.noneFoundAdvice }}
                first={<NoRows title={all.none} advice={all.noneAdvice} href={`${own}/test`} action={words.sample} />}
                pages={all.pages}
              >
                <DeliveryTable address={address} deliveries={deliveries} />
              </Listing>
            </>
          ),
        };
      },
    }),

    subjectPage(tools, delivery, {
      id: 'webhook-delivery',
      show: ({ one: { webhook, delivery }, address }) => ({
        actions: canRedeliver(webhook, delivery) && (
          <ButtonForm action={`${address}/redeliver`} label={one.redeliver} look="" />
        ),
        children: attemptsPart(webhook, delivery),
      }),
    }),

    actAtOnce(tools, delivery, {
      id: 'redeliver-webhook-page',
      name: 'redeliver',
      work: ({ one: { webhook, delivery }, visit }) =>
        webhooks.redeliver(String(webhook.endpoint.id), String(delivery.id), sellerIn(visit)),
      notice: 'delivery_queued',
      refusals: { webhook_off: words.isOff, sent_too_often: words.sentTooOften },
    }),
  ];
}

/** A list of deliveries. `address` is that of the list of all. On a phone, the first two columns show without scrolling. */
export function DeliveryTable({
  address,
  deliveries,
}: {
  readonly address: string;
  readonly deliveries: readonly DeliveryEntry[];
}): VNode {
  return (
    <List
      label={all.list}
      columns={[
        {
          title: all.event,
          cell: ({ id, type, isTest }) => (
            <>
              <a href={`${address}/${id}`}>
                <code>{type}</code>
              </a>{' '}
              {isTest && <span class="tag">{all.sample}</span>}
            </>
          ),
        },
        { title: all.state, isState: true, cell: (delivery) => <DeliveryTag delivery={delivery} /> },
        { title: all.at, cell: ({ createdAt }) => <Time at={createdAt} /> },
        { title: all.tries, isNumber: true, cell: ({ attempts }) => attempts },
      ]}
      rows={deliveries}
    />
  );
}

function canRedeliver({ endpoint }: ShownWebhook, delivery: Delivery): boolean {
  return delivery.state !== 'waiting' && endpoint.off === null && !isWornOut(delivery);
}

/** What is known of a delivery, and its attempts side by side. */
function attemptsPart({ endpoint }: ShownWebhook, delivery: Delivery): VNode {
  const { body, history } = delivery;
  return (
    <>
      <Facts facts={factsOf(delivery)} />
      <h2>{one.attempts}</h2>
      {history.length === 0 ? (
        <p class="note">{endpoint.url === null ? one.isFetched : one.noAttempts}</p>
      ) : (
        <div class="boards">
          {history.map((attempt, index) => (
            <AttemptPanel key={attempt.number} attempt={attempt} isLast={index === history.length - 1} />
          ))}
        </div>
      )}
      <section>
        <h2>{one.body}</h2>
        <p class="lead">{one.bodyLead}</p>
        <pre class="mail-text">{body}</pre>
      </section>
    </>
  );
}

function factsOf(delivery: Delivery): (Fact | false)[] {
  const { eventId, createdAt, dueAt, attempts, isTest } = delivery;
  return [
    [
      all.state,
      <>
        <DeliveryTag delivery={delivery} /> {isTest && <span class="tag">{all.sample}</span>}
      </>,
    ],
    [all.id, <code key="id">{eventId}</code>],
    [all.at, <Time key="at" at={createdAt} />],
    [all.tries, all.tried(attempts)],
    dueAt !== null && [one.next, <Time key="next" at={dueAt} />],
  ];
}

function AttemptPanel({
  attempt: { number, at, duration, fault, detail, request, answer },
  isLast,
}: {
  readonly attempt: Attempt;
  /** The answer of the last attempt is unfolded if it is a failure. */
  readonly isLast: boolean;
}): VNode {
  const isGood = fault === null;
  return (
    <section class="panel attempt">
      <h3>
        {one.number(number)}{' '}
        <span class={isGood ? 'tag good' : 'tag bad'}>{isGood ? all.states.delivered : words.faults[fault]}</span>
      </h3>
      {detail !== '' && <p>{detail}</p>}
      <Facts
        facts={[
          [one.time, <Time key="at" at={at} />],
          [one.duration, one.took(duration)],
          answer !== null && [one.status, answer.status],
        ]}
      />
      <details class="exchange">
        <summary class="exchange-name">{one.request}</summary>
        <Head lines={{ POST: request.url, ...request.headers }} />
        <p class="faint">{one.withoutSignatures}</p>
      </details>
      {answer ? (
        <details class="exchange" open={isLast && !isGood}>
          <summary class="exchange-name">{one.response}</summary>
          <Head lines={answer.headers} />
          {answer.body === '' ? (
            <p class="faint">{one.emptyResponse}</p>
          ) : (
            <pre class="code" dir="auto">
              {answer.body}
            </pre>
          )}
        </details>
      ) : (
        <p class="exchange faint">{one.noResponse}</p>
      )}
    </section>
  );
}

/** Headers, one a line. */
function Head({ lines }: { readonly lines: Readonly<Record<string, string>> }): VNode {
  return (
    <ul class="plain">
      {Object.entries(lines).map(([name, value]) => (
        <li key={name}>
          <b>{name}</b> {value}
        </li>
      ))}
    </ul>
  );
}
