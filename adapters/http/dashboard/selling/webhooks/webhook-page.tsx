import type { VNode } from 'preact';
import type { ShownWebhook } from '../../../../../core/selling/find-webhook.ts';
import { type Endpoint as Receiver, stateOf } from '../../../../../core/webhooks/endpoint.ts';
import type { Endpoint } from '../../../surface.ts';
import { CopiedText } from '../../../ui/copied-text.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { texts } from '../../../ui/texts.ts';
import { Time } from '../../../ui/time.tsx';
import { shown } from '../../answer.ts';
import { orFail } from '../../or-fail.ts';
import { page } from '../../page.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellerIn, sellingPath } from '../selling-page.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { FaultList, HealthPlot, plotStart } from './health.tsx';
import { shortUrl, WebhookFrame } from './webhook-frame.tsx';
import { StateTag } from './webhook-tags.tsx';
import { base, pathOf, type WebhookTools, webhookIn } from './webhook-tools.ts';

const { sellingWebhooks: words } = texts;
const shownDeliveries = 10;

/** One webhook: its state, settings, health and newest deliveries. */
export function webhookPage(tools: DashboardTools, own: Pick<WebhookTools, 'webhooks'>): Endpoint {
  return page(tools, {
    id: 'selling-webhook',
    path: `${base}/:id`,
    audience: 'user',
    async show(visit) {
      const found = await webhookIn(own, visit);
      const { endpoint } = found;
      const id = String(endpoint.id);
      const now = tools.clock.now();
      const [figures, newest] = await Promise.all([
        own.webhooks.figures(id, plotStart(now), sellerIn(visit)),
        own.webhooks.deliveries(id, { limit: shownDeliveries }, sellerIn(visit)),
      ]);
      const { hours, faults } = orFail(figures);
      const { deliveries } = orFail(newest);
      const { root } = visit.frame;
      const address = `${root}${pathOf(visit, endpoint)}`;
      return shown(
        <WebhookFrame
          visit={visit}
          title={shortUrl(endpoint.url)}
          scripts={['copy.js']}
          actions={<Acts endpoint={endpoint} address={address} />}
        >
          <State endpoint={endpoint} />
          <section class="panel">
            <h2>{words.facts.title}</h2>
            <Facts facts={factsOf(visit, found, now)} />
          </section>
          {endpoint.url !== null && (
            <section>
              <div class="part">
                <div>
                  <h2>{words.health.title}</h2>
                  <p class="lead">{hours.length === 0 ? words.never : words.health.lead}</p>
                </div>
              </div>
              {hours.length > 0 && <HealthPlot root={root} hours={hours} now={now} />}
              <FaultList faults={faults} />
            </section>
          )}
          {deliveries.length > 0 && (
            <section>
              <div class="part">
                <h2>{words.deliveries.newest}</h2>
                <a class="button small" href={`${address}/deliveries`}>
                  {words.deliveries.all}
                </a>
              </div>
              <DeliveryTable address={`${address}/deliveries`} deliveries={deliveries} />
            </section>
          )}
        </WebhookFrame>,
      );
    },
  });
}

function Acts({ endpoint: { off, url }, address }: { readonly endpoint: Receiver; readonly address: string }): VNode {
  const isOn = off === null;
  return (
    <div class="choices">
      {isOn && (
        <a class="button primary" href={`${address}/test`}>
          {words.sample}
        </a>
      )}
      {url !== null && (
        <a class="button" href={`${address}/edit`}>
          {words.edit}
        </a>
      )}
      <form method="post" action={`${address}/${isOn ? 'off' : 'on'}`} class="inline">
        <button type="submit" class={isOn ? 'button' : 'button primary'}>
          {isOn ? words.switchOff : words.switchOn}
        </button>
      </form>
      <a class="button danger" href={`${address}/delete`}>
        {words.remove}
      </a>
    </div>
  );
}

function State({ endpoint }: { readonly endpoint: Receiver }): VNode {
  const { off, health } = endpoint;
  return (
    <section class="panel state">
      <p>
        <StateTag endpoint={endpoint} /> {meaningOf(endpoint)}
      </p>
      {off === null && health.failingSince !== null && (
        <p>
          {words.since} <Time at={health.failingSince} />
        </p>
      )}
    </section>
  );
}

function meaningOf(endpoint: Receiver): string {
  const { url, off } = endpoint;
  if (off === 'failures') return words.meaning.offByFailures;
  return url === null ? words.listenerMeaning[off === null ? 'on' : 'off'] : words.meaning[stateOf(endpoint)];
}

function factsOf(visit: SignedInVisit, { endpoint, product }: ShownWebhook, now: number): Fact[] {
  const { root } = visit.frame;
  const { url, events, description, oldSecret, createdAt } = endpoint;
  const { facts: names } = words;
  const address = `${root}${pathOf(visit, endpoint)}`;
  return [
    [names.url, url === null ? words.noAddress : <CopiedText key="url" id="url" text={url} />],
    [
      names.events,
      events === '*' ? (
        words.choices.all
      ) : (
        <ul class="plain">
          {events.map((type) => (
            <li key={type}>
              <code>{type}</code>
            </li>
          ))}
        </ul>
      ),
    ],
    [
      names.product,
      product ? (
        <a href={`${root}${sellingPath(visit, `products/${product.id}`)}`} dir="auto">
          {product.title}
        </a>
      ) : (
        words.allProducts
      ),
    ],
    ...(description === ''
      ? []
      : [
          [
            names.description,
            <span key="note" dir="auto">
              {description}
            </span>,
          ] as const,
        ]),
    [
      names.secret,
      <span key="secret" class="choices tight">
        <a class="button small" href={`${address}/secret`}>
          {names.shown} <span class="unseen">{names.ofSecret}</span>
        </a>
        <a class="button small" href={`${address}/rotate-secret`}>
          {names.changed} <span class="unseen">{names.ofSecret}</span>
        </a>
      </span>,
    ],
    ...(oldSecret !== null && oldSecret.until > now
      ? [[names.oldSecret, <Time key="old" at={oldSecret.until} />] as const]
      : []),
    [names.added, <Time key="added" at={createdAt} />],
  ];
}
