import type { VNode } from 'preact';
import type { DeliveryPage } from '../../../../../core/selling/webhook-deliveries.ts';
import { deliveryStates } from '../../../../../core/webhooks/delivery.ts';
import type { Endpoint as Receiver } from '../../../../../core/webhooks/endpoint.ts';
import { webhookEventTypes } from '../../../../../core/webhooks/webhook-event.ts';
import type { Endpoint } from '../../../surface.ts';
import { Filter, FilterDate, FilterSelect } from '../../../ui/filter.tsx';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { FilteredPaging, NoRows, withAll } from '../../filtered-list.tsx';
import { orFail } from '../../or-fail.ts';
import { page } from '../../page.ts';
import { type Choices, choicesIn, chosen, isAny, startOf } from '../../query.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn } from '../selling-page.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { WebhookFrame } from './webhook-frame.tsx';
import { base, pathOf, type WebhookTools, webhookIn } from './webhook-tools.ts';

const { sellingWebhooks: all } = texts;
const { deliveries: words } = all;
const perPage = 50;
const eventNames = Object.fromEntries(webhookEventTypes.map((type) => [type, type]));

/** The page with the deliveries to a webhook. */
export function deliveryListPage(tools: DashboardTools, own: Pick<WebhookTools, 'webhooks'>): Endpoint {
  return page(tools, {
    id: 'webhook-deliveries',
    path: `${base}/:id/deliveries`,
    audience: 'user',
    async show(visit) {
      const { endpoint } = await webhookIn(own, visit);
      const choices = choicesIn(visit, 'state', 'event', 'from', 'to');
      const { after = '' } = visit.query;
      const query = {
        state: chosen(choices.state, deliveryStates),
        type: chosen(choices.event, webhookEventTypes),
        from: startOf(choices.from),
        to: startOf(choices.to, 1),
        after: after || undefined,
        limit: perPage,
      };
      const found = orFail(await own.webhooks.deliveries(String(endpoint.id), query, sellerIn(visit)));
      return shown(
        <DeliveryList visit={visit} endpoint={endpoint} choices={choices} found={found} isFirst={after === ''} />,
      );
    },
  });
}

function DeliveryList({
  visit,
  endpoint,
  choices,
  found: { deliveries, next },
  isFirst,
}: {
  readonly visit: SignedInVisit;
  readonly endpoint: Receiver;
  readonly choices: Choices;
  readonly found: DeliveryPage;
  readonly isFirst: boolean;
}): VNode {
  const own = `${visit.frame.root}${pathOf(visit, endpoint)}`;
  const address = `${own}/deliveries`;
  const { state = '', event = '', from = '', to = '' } = choices;
  const isFiltered = isAny(choices) || !isFirst;
  const again = endpoint.off === null && (
    <a class="button" href={`${own}/replay`}>
      {all.replay.title}
    </a>
  );
  return (
    <WebhookFrame visit={visit} title={words.title} of={endpoint} actions={again}>
      <p class="intro">{words.kept}</p>
      <Filter isActive={isAny(choices)} clear={address}>
        <FilterSelect name="state" label={words.state} value={state} options={withAll(words.states)} />
        <FilterSelect name="event" label={words.event} value={event} options={withAll(eventNames)} />
        <FilterDate name="from" label={words.from} value={from} />
        <FilterDate name="to" label={words.to} value={to} />
      </Filter>
      {deliveries.length > 0 ? (
        <DeliveryTable address={address} deliveries={deliveries} />
      ) : isFiltered ? (
        <NoRows title={words.noneFound} advice={words.noneFoundAdvice} href={address} />
      ) : (
        <NoRows title={words.none} advice={words.noneAdvice} href={`${own}/test`} action={all.sample} />
      )}
      <FilteredPaging
        label={words.pages}
        address={address}
        choices={choices}
        isFirst={isFirst}
        next={next === null ? undefined : { after: next }}
      />
    </WebhookFrame>
  );
}
