import type { VNode } from 'preact';
import { type Attempt, type Delivery, isWornOut } from '../../../../../core/webhooks/delivery.ts';
import type { Endpoint as Receiver } from '../../../../../core/webhooks/endpoint.ts';
import type { Endpoint } from '../../../surface.ts';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { texts } from '../../../ui/texts.ts';
import { Time } from '../../../ui/time.tsx';
import { shown } from '../../answer.ts';
import { orFail } from '../../or-fail.ts';
import { page } from '../../page.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn } from '../selling-page.tsx';
import { WebhookFrame } from './webhook-frame.tsx';
import { DeliveryTag } from './webhook-tags.tsx';
import { base, pathOf, type WebhookTools, webhookIn } from './webhook-tools.ts';

const { sellingWebhooks: all } = texts;
const { delivery: words, deliveries: listWords } = all;

/** One delivery with all its attempts, side by side. */
export function deliveryPage(tools: DashboardTools, own: Pick<WebhookTools, 'webhooks'>): Endpoint {
  return page(tools, {
    id: 'webhook-delivery',
    path: `${base}/:id/deliveries/:delivery`,
    audience: 'user',
    async show(visit) {
      const { endpoint } = await webhookIn(own, visit);
      const { delivery: id = '' } = visit.params;
      const delivery = orFail(await own.webhooks.delivery(String(endpoint.id), id, sellerIn(visit)));
      return shown(<DeliveryPage visit={visit} endpoint={endpoint} delivery={delivery} />);
    },
  });
}

function DeliveryPage({
  visit,
  endpoint,
  delivery,
}: {
  readonly visit: SignedInVisit;
  readonly endpoint: Receiver;
  readonly delivery: Delivery;
}): VNode {
  const list = `${visit.frame.root}${pathOf(visit, endpoint, '/deliveries')}`;
  const { id, type, state, body, history } = delivery;
  const canRedeliver = state !== 'waiting' && endpoint.off === null && !isWornOut(delivery);
  return (
    <WebhookFrame
      visit={visit}
      title={type}
      of={endpoint}
      above={[{ href: list, title: listWords.title }]}
      actions={
        canRedeliver && (
          <form method="post" action={`${list}/${id}/redeliver`} class="inline">
            <button type="submit" class="button">
              {words.redeliver}
            </button>
          </form>
        )
      }
    >
      <Facts facts={factsOf(delivery)} />
      <h2>{words.attempts}</h2>
      {history.length === 0 ? (
        <p class="note">{endpoint.url === null ? words.isFetched : words.noAttempts}</p>
      ) : (
        <div class="boards">
          {history.map((attempt, index) => (
            <AttemptPanel key={attempt.number} attempt={attempt} isLast={index === history.length - 1} />
          ))}
        </div>
      )}
      <section>
        <h2>{words.body}</h2>
        <p class="lead">{words.bodyLead}</p>
        <pre class="mail-text">{body}</pre>
      </section>
    </WebhookFrame>
  );
}

function factsOf(delivery: Delivery): Fact[] {
  const { eventId, createdAt, dueAt, attempts, isTest } = delivery;
  return [
    [
      listWords.state,
      <>
        <DeliveryTag delivery={delivery} /> {isTest && <span class="tag">{listWords.sample}</span>}
      </>,
    ],
    [listWords.id, <code key="id">{eventId}</code>],
    [listWords.at, <Time key="at" at={createdAt} />],
    [listWords.tries, listWords.tried(attempts)],
    ...(dueAt === null ? [] : [[words.next, <Time key="next" at={dueAt} />] as const]),
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
        {words.number(number)}{' '}
        <span class={isGood ? 'tag good' : 'tag bad'}>{isGood ? listWords.states.delivered : all.faults[fault]}</span>
      </h3>
      {detail !== '' && <p>{detail}</p>}
      <Facts
        facts={[
          [words.time, <Time key="at" at={at} />],
          [words.duration, words.took(duration)],
          ...(answer ? [[words.status, answer.status] as const] : []),
        ]}
      />
      <details class="exchange">
        <summary class="exchange-name">{words.request}</summary>
        <Head lines={{ POST: request.url, ...request.headers }} />
        <p class="faint">{words.withoutSignatures}</p>
      </details>
      {answer ? (
        <details class="exchange" open={isLast && !isGood}>
          <summary class="exchange-name">{words.response}</summary>
          <Head lines={answer.headers} />
          {answer.body === '' ? (
            <p class="faint">{words.emptyResponse}</p>
          ) : (
            <pre class="code" dir="auto">
              {answer.body}
            </pre>
          )}
        </details>
      ) : (
        <p class="exchange faint">{words.noResponse}</p>
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
