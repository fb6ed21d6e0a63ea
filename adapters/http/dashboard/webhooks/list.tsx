import type { HourOfAttempts } from '../../../../core/ports/webhook-store.ts';
import type { ShownWebhook } from '../../../../core/selling/find-webhook.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { listWords } from '../../ui/words.ts';
import { list } from '../kit/list.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { HealthPlot, plotStart, StateTag, shortUrl, totalOf, type WebhookTools } from './subject.tsx';
import { words } from './words.ts';

/** More than an account can have. */
const perPage = 25;

/** A webhook with its attempts of the last days. */
interface Row extends ShownWebhook {
  readonly hours: readonly HourOfAttempts[];
}

/** The webhooks of the person who is signed in, also of administrators. */
export function webhookList(tools: DashboardTools, { webhooks }: WebhookTools): Endpoint[] {
  return list(tools, {
    id: 'selling-webhooks',
    place: { area: 'selling', at: 'webhooks' },
    audience: 'user',
    reach: 'own',
    filters: {},
    async find({ ownerId, after, seller }) {
      const found = orFail(await webhooks.list({ ownerId, after, limit: perPage }, seller));
      const now = tools.clock.now();
      const rows = await Promise.all(
        found.webhooks.map(async (one): Promise<Row> => {
          const { hours } = orFail(await webhooks.figures(String(one.endpoint.id), plotStart(now), seller));
          return { ...one, hours };
        }),
      );
      return { rows, next: found.next, now };
    },
    none: { advice: listWords.noneAdvice },
    isFirstAlone: true,
    show({ rows, now }, { address, root, seller }) {
      const add = (text: string) => <ButtonLink href={`${address}/new`} text={text} look="primary" />;
      const hours = rows.flatMap((row) => row.hours);
      return {
        actions: add(words.add),
        first: (
          <EmptyState heading="h2" icon="webhooks" title={words.noneTitle}>
            <p>{words.none[seller.mode]}</p>
            <p class="actions">
              {add(words.first)}
              <ButtonLink href={`${root}docs/webhooks`} text={words.guide} />
            </p>
          </EmptyState>
        ),
        table: (
          <>
            <List label={words.list} columns={columnsIn(address)} rows={rows} />
            {hours.length > 0 && (
              <section>
                <h2>{words.health.title}</h2>
                <HealthPlot root={root} hours={hours} now={now} />
              </section>
            )}
            <p>
              <a href={`${root}docs/webhooks`}>{words.guide}</a>
            </p>
          </>
        ),
      };
    },
  });
}

function columnsIn(address: string): readonly Column<Row>[] {
  const { columns } = words;
  return [
    {
      title: columns.url,
      cell: ({ endpoint }) => (
        <>
          <a href={`${address}/${endpoint.id}`} class="breakable">
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
    { title: columns.state, isState: true, cell: ({ endpoint }) => <StateTag endpoint={endpoint} /> },
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
