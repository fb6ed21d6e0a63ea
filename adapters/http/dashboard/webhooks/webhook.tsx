import type { VNode } from 'preact';
import type { ShownWebhook } from '../../../../core/selling/find-webhook.ts';
import { type Endpoint as Receiver, stateOf } from '../../../../core/webhooks/endpoint.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ButtonForm } from '../../ui/form.tsx';
import { type Fact, Facts, typed } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { CopiedText } from '../../ui/secret.tsx';
import { Time } from '../../ui/time.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { sellerIn, sellingPath } from '../kit/selling.tsx';
import { type Subject, type SubjectVisit, subjectPage } from '../kit/subject-page.tsx';
import { webhookActs } from './acts.tsx';
import { DeliveryTable, deliveryPages } from './deliveries.tsx';
import { webhookForms } from './form.tsx';
import { webhookList } from './list.tsx';
import { secretPages } from './secret-pages.tsx';
import { FaultList, HealthPlot, plotStart, StateTag, type WebhookTools, webhookSubject } from './subject.tsx';
import { words } from './words.ts';

/** The pages of sellers about their webhooks. If two paths match a request, the first one answers it. */
export function webhookPages(tools: DashboardTools, own: WebhookTools): Endpoint[] {
  const webhook = webhookSubject(own);
  return [
    ...webhookList(tools, own),
    ...webhookForms(tools, webhook, own),
    webhookPage(tools, webhook, own),
    ...deliveryPages(tools, webhook, own),
    ...secretPages(tools, webhook, own),
    ...webhookActs(tools, webhook, own),
  ];
}

const shownDeliveries = 10;

/** One webhook: its state, settings, health and newest deliveries. */
function webhookPage(tools: DashboardTools, webhook: Subject<ShownWebhook>, { webhooks }: WebhookTools): Endpoint {
  return subjectPage(tools, webhook, {
    id: 'selling-webhook',
    async show(at) {
      const { visit, root, address } = at;
      const { endpoint } = at.one;
      const id = String(endpoint.id);
      const now = tools.clock.now();
      const [figures, newest] = await Promise.all([
        webhooks.figures(id, plotStart(now), sellerIn(visit)),
        webhooks.deliveries(id, { limit: shownDeliveries }, sellerIn(visit)),
      ]);
      const { hours, faults } = orFail(figures);
      const { deliveries } = orFail(newest);
      return {
        scripts: ['copy.js'],
        tags: <StateTag endpoint={endpoint} />,
        actions: <Acts endpoint={endpoint} address={address} />,
        children: (
          <>
            <State endpoint={endpoint} />
            <section class="panel">
              <h2>{words.facts.title}</h2>
              <Facts facts={factsOf(at, now)} />
            </section>
            {endpoint.url !== null && (
              <section>
                <PartHead title={words.health.title} lead={hours.length === 0 ? words.never : words.health.lead} />
                {hours.length > 0 && <HealthPlot root={root} hours={hours} now={now} />}
                <FaultList faults={faults} />
              </section>
            )}
            {deliveries.length > 0 && (
              <section>
                <PartHead title={words.deliveries.newest}>
                  <ButtonLink href={`${address}/deliveries`} text={words.deliveries.all} look="small" />
                </PartHead>
                <DeliveryTable address={`${address}/deliveries`} deliveries={deliveries} />
              </section>
            )}
          </>
        ),
      };
    },
  });
}

function Acts({ endpoint: { off, url }, address }: { readonly endpoint: Receiver; readonly address: string }): VNode {
  const isOn = off === null;
  return (
    <div class="choices">
      {isOn && <ButtonLink href={`${address}/test`} text={words.sample} look="primary" />}
      {url !== null && <ButtonLink href={`${address}/edit`} text={words.edit} />}
      {isOn ? (
        <ButtonForm action={`${address}/off`} label={words.switchOff} look="" />
      ) : (
        <ButtonForm action={`${address}/on`} label={words.switchOn} look="primary" />
      )}
      <ButtonLink href={`${address}/delete`} text={words.remove} look="danger" />
    </div>
  );
}

function State({ endpoint }: { readonly endpoint: Receiver }): VNode {
  const { off, health } = endpoint;
  return (
    <section class="panel state">
      <p>{meaningOf(endpoint)}</p>
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

function factsOf(
  { one: { endpoint, product }, visit, root, address }: SubjectVisit<ShownWebhook>,
  now: number,
): (Fact | false)[] {
  const { url, events, description, oldSecret, createdAt } = endpoint;
  const { facts: names } = words;
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
    description !== '' && [names.description, typed(description)],
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
    oldSecret !== null && oldSecret.until > now && [names.oldSecret, <Time key="old" at={oldSecret.until} />],
    [names.added, <Time key="added" at={createdAt} />],
  ];
}
