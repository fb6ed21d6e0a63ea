import type { VNode } from 'preact';
import type { Instant } from '../../../../core/ports/clock.ts';
import type { HourOfAttempts } from '../../../../core/ports/webhook-store.ts';
import type { ShownWebhook } from '../../../../core/selling/find-webhook.ts';
import type { SellerProducts } from '../../../../core/selling/products.ts';
import { daysFrom, startOf, steps } from '../../../../core/selling/usage-hours.ts';
import type { WebhookFigures } from '../../../../core/selling/webhook-deliveries.ts';
import type { Webhooks } from '../../../../core/selling/webhooks.ts';
import type { Delivery, DeliveryEntry, DeliveryState } from '../../../../core/webhooks/delivery.ts';
import { type Endpoint, type EndpointState, stateOf } from '../../../../core/webhooks/endpoint.ts';
import { areas, entryOf } from '../../ui/area-page.tsx';
import { List } from '../../ui/list.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { Plot } from '../../ui/plot.tsx';
import type { Once } from '../kit/once.ts';
import { orFail } from '../kit/page.ts';
import { modeIn, sellerIn, sellingPath } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { words } from './words.ts';

/** The dependencies of the pages about webhooks. */
export interface WebhookTools {
  readonly webhooks: Webhooks;
  readonly products: Pick<SellerProducts, 'list' | 'show'>;
  readonly once: Once;
}

export function webhookSubject({ webhooks }: WebhookTools): Subject<ShownWebhook> {
  return {
    path: `/${areas.selling.webhooks}/:id`,
    audience: 'user',
    find: async (visit) => orFail(await webhooks.show(visit.params.id ?? '', sellerIn(visit))),
    about: ({ endpoint: { id, url } }, visit) => ({
      name: shortUrl(url),
      path: sellingPath(visit, `webhooks/${id}`),
      place: { area: 'selling', at: 'webhooks' },
      mode: modeIn(visit),
      above: [entryOf({ area: 'selling', at: 'webhooks' }, modeIn(visit))],
    }),
  };
}

/** A delivery, with the webhook that it goes to. */
export interface ShownDelivery {
  readonly webhook: ShownWebhook;
  readonly delivery: Delivery;
}

export function deliverySubject(
  { webhooks }: WebhookTools,
  { find, about, path, audience }: Subject<ShownWebhook>,
): Subject<ShownDelivery> {
  return {
    path: `${path}/deliveries/:delivery`,
    audience,
    async find(visit) {
      const webhook = await find(visit);
      const { delivery = '' } = visit.params;
      return {
        webhook,
        delivery: orFail(await webhooks.delivery(String(webhook.endpoint.id), delivery, sellerIn(visit))),
      };
    },
    about({ webhook, delivery: { id, type } }, visit) {
      const { name, path, above, ...same } = about(webhook, visit);
      const list = `${path}/deliveries`;
      return {
        ...same,
        name: type,
        path: `${list}/${id}`,
        above: [...above, { path, title: name }, { path: list, title: words.deliveries.title }],
      };
    },
  };
}

/** The part of a URL by which its owner recognizes it. Without a URL, it says so. */
export function shortUrl(url: string | null): string {
  if (url === null) return words.listener;
  const { host, pathname } = new URL(url);
  const text = `${host}${pathname === '/' ? '' : pathname}`;
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

const { health } = words;

const looks = {
  on: 'tag good',
  failing: 'tag busy',
  failed: 'tag bad',
  off: 'tag',
} as const satisfies Record<EndpointState, string>;

const deliveryLooks = {
  waiting: 'tag',
  delivered: 'tag good',
  failed: 'tag bad',
} as const satisfies Record<DeliveryState, string>;

export function StateTag({ endpoint }: { readonly endpoint: Endpoint }): VNode {
  const state = stateOf(endpoint);
  const isListening = endpoint.url === null && state === 'on';
  return <span class={looks[state]}>{isListening ? words.listens : words.states[state]}</span>;
}

/** The state of a delivery. One that waits after a failure says which. */
export function DeliveryTag({ delivery: { state, fault } }: { readonly delivery: DeliveryEntry }): VNode {
  const isTriedAgain = state === 'waiting' && fault !== null;
  return (
    <>
      <span class={isTriedAgain ? 'tag busy' : deliveryLooks[state]}>{words.deliveries.states[state]}</span>
      {fault !== null && <small class="faint"> {words.faults[fault]}</small>}
    </>
  );
}

/** The days of the plot, of which the last is today. */
const days = 7;

/** The start of the first day of the plot. */
export function plotStart(now: Instant): Instant {
  return startOf('day', now) - (days - 1) * steps.day;
}

/** The attempts of a time. */
export function totalOf(hours: readonly HourOfAttempts[]) {
  return {
    delivered: hours.reduce((sum, { delivered }) => sum + delivered, 0),
    failed: hours.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** The attempts of the last days, with the same values in a table. */
export function HealthPlot({
  root,
  hours,
  now,
}: {
  readonly root: string;
  readonly hours: readonly HourOfAttempts[];
  readonly now: Instant;
}): VNode {
  const start = plotStart(now);
  const points = daysFrom(start, days).map((at) => ({
    at,
    ...totalOf(hours.filter(({ hour }) => startOf('day', hour) === at)),
  }));
  return (
    <Plot
      root={root}
      title={health.plot}
      unit={health.unit}
      step="day"
      series={[
        { label: health.delivered, as: 'bars', points: points.map(({ at, delivered }) => ({ at, value: delivered })) },
        { label: health.failed, as: 'bars', points: points.map(({ at, failed }) => ({ at, value: failed })) },
      ]}
    />
  );
}

/** The reasons why deliveries failed permanently. Renders nothing if none did. */
export function FaultList({ faults }: Pick<WebhookFigures, 'faults'>): VNode | null {
  if (faults.length === 0) return null;
  return (
    <section class="narrow">
      <h3>{health.faults}</h3>
      <List
        label={health.faults}
        columns={[
          { title: health.fault, cell: ({ fault }) => words.faults[fault] },
          { title: health.count, isNumber: true, cell: ({ count }) => readableNumber(count) },
        ]}
        rows={faults}
      />
    </section>
  );
}
