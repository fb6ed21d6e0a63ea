import type { VNode } from 'preact';
import type { Instant } from '../../../../../core/ports/clock.ts';
import type { HourOfAttempts } from '../../../../../core/ports/webhook-store.ts';
import type { ShownWebhook } from '../../../../../core/selling/find-webhook.ts';
import type { WebhookPage } from '../../../../../core/selling/webhooks.ts';
import type { Endpoint } from '../../../surface.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { type Column, List } from '../../../ui/list.tsx';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { FilteredPaging } from '../../filtered-list.tsx';
import { orFail } from '../../or-fail.ts';
import { page } from '../../page.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { modeIn, SellingPage, sellerIn, sellingPath } from '../selling-page.tsx';
import { HealthPlot, plotStart, totalOf } from './health.tsx';
import { shortUrl } from './webhook-frame.tsx';
import { StateTag } from './webhook-tags.tsx';
import { base, pathOf, type WebhookTools } from './webhook-tools.ts';

const { sellingWebhooks: words } = texts;
const perPage = 25;

/** A webhook with its attempts of the last days. */
interface Row extends ShownWebhook {
  readonly hours: readonly HourOfAttempts[];
}

/** The webhooks of the person who is signed in, also of administrators. */
export function webhookListPage(tools: DashboardTools, { webhooks }: Pick<WebhookTools, 'webhooks'>): Endpoint {
  return page(tools, {
    id: 'selling-webhooks',
    path: base,
    audience: 'user',
    async show(visit) {
      const { after = '' } = visit.query;
      const seller = sellerIn(visit);
      const query = { ownerId: visit.me.login.id, after: after || undefined, limit: perPage };
      const found = orFail(await webhooks.list(query, seller));
      const now = tools.clock.now();
      const rows = await Promise.all(
        found.webhooks.map(async (one): Promise<Row> => {
          const { hours } = orFail(await webhooks.figures(String(one.endpoint.id), plotStart(now), seller));
          return { ...one, hours };
        }),
      );
      return shown(<WebhookList visit={visit} rows={rows} next={found.next} isFirst={after === ''} now={now} />);
    },
  });
}

function WebhookList({
  visit,
  rows,
  next,
  isFirst,
  now,
}: {
  readonly visit: SignedInVisit;
  readonly rows: readonly Row[];
  readonly next: WebhookPage['next'];
  readonly isFirst: boolean;
  readonly now: Instant;
}): VNode {
  const { root } = visit.frame;
  const address = `${root}${sellingPath(visit, 'webhooks')}`;
  const add = (text: string) => (
    <a class="button primary" href={`${address}/new`}>
      {text}
    </a>
  );
  if (rows.length === 0 && isFirst) {
    return (
      <SellingPage visit={visit} at="webhooks" title={words.title}>
        <EmptyState heading="h2" title={words.noneTitle}>
          <p>{words.none[modeIn(visit)]}</p>
          <p class="actions">
            {add(words.first)}
            <a class="button" href={`${root}docs/webhooks`}>
              {words.guide}
            </a>
          </p>
        </EmptyState>
      </SellingPage>
    );
  }
  const hours = rows.flatMap((row) => row.hours);
  return (
    <SellingPage visit={visit} at="webhooks" title={words.title} actions={add(words.add)}>
      <List label={words.list} columns={columnsIn(visit)} rows={rows} keyOf={({ endpoint }) => endpoint.id} />
      <FilteredPaging
        label={words.pages}
        address={address}
        choices={{}}
        isFirst={isFirst}
        next={next === null ? undefined : { after: next }}
      />
      {hours.length > 0 && (
        <section>
          <h2>{words.health.title}</h2>
          <HealthPlot root={root} hours={hours} now={now} />
        </section>
      )}
      <p>
        <a href={`${root}docs/webhooks`}>{words.guide}</a>
      </p>
    </SellingPage>
  );
}

function columnsIn(visit: SignedInVisit): readonly Column<Row>[] {
  const { columns } = words;
  return [
    {
      title: columns.url,
      cell: ({ endpoint }) => (
        <>
          <a href={`${visit.frame.root}${pathOf(visit, endpoint)}`} class="breakable">
            {shortUrl(endpoint.url)}
          </a>
          {endpoint.description !== '' && (
            <small class="under" dir="auto">
              {endpoint.description}
            </small>
          )}
        </>
      ),
    },
    { title: columns.state, cell: ({ endpoint }) => <StateTag endpoint={endpoint} /> },
    {
      title: columns.events,
      cell: ({ endpoint, product }) => (
        <>
          {words.countOf(endpoint.events)}
          {product && (
            <small class="under" dir="auto">
              {product.title}
            </small>
          )}
        </>
      ),
    },
    {
      title: columns.sent,
      cell: ({ endpoint, hours }) => {
        if (endpoint.url === null) return words.isFetched;
        const { delivered, failed } = totalOf(hours);
        return words.sentIn(delivered, failed);
      },
    },
  ];
}
