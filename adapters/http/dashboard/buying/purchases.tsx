import type { VNode } from 'preact';
import type { Order } from '../../../../core/purchases/order.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { moneyOf, priceOf } from '../../ui/prices.ts';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { shown } from '../answer.ts';
import { FilteredPaging } from '../filtered-list.tsx';
import { orFail } from '../or-fail.ts';
import { page } from '../page.ts';
import { choicesIn } from '../query.ts';
import type { DashboardTools } from '../tools.ts';
import { type BuyingTools, pathOf } from './buying-tools.ts';
import { StateTag } from './state-tag.tsx';

const { purchases: words } = texts.buying;
const path = 'account/purchases';
const onPage = 25;

/** The page with the orders that a user made with their account. */
export function purchasesPage(tools: DashboardTools, { purchases }: Pick<BuyingTools, 'purchases'>): Endpoint {
  return page(tools, {
    id: 'purchases',
    path: `/${path}`,
    audience: 'user',
    async show({ frame, me: { login }, ...visit }) {
      const { after } = choicesIn({ frame, me: undefined, ...visit }, 'after');
      const { orders, next } = orFail(
        await purchases.list(login.id, { after: after === '' ? undefined : after, limit: onPage }),
      );
      return shown(
        <AreaPage frame={frame} place={{ area: 'account', at: 'purchases' }} title={words.title} scripts={['copy.js']}>
          <p class="intro">{words.lead}</p>
          {login.emailVerifiedAt === null && <p class="note">{words.unverified}</p>}
          {orders.length === 0 ? (
            <EmptyState heading="h2" title={words.none}>
              <p>{words.noneLead}</p>
              <p class="actions">
                <a class="button primary" href={`${frame.root}marketplace`}>
                  {words.browse}
                </a>
              </p>
            </EmptyState>
          ) : (
            <List label={words.list} columns={columnsOf(frame.root)} rows={orders} keyOf={({ id }) => id} />
          )}
          <FilteredPaging
            label={words.list}
            address={`${frame.root}${path}`}
            choices={{}}
            isFirst={after === ''}
            next={next === null ? undefined : { after: next }}
          />
        </AreaPage>,
      );
    },
  });
}

function columnsOf(root: string): readonly Column<Order>[] {
  return [
    {
      title: words.product,
      cell: (order): VNode => (
        <a class="breakable" href={`${root}${pathOf(order)}`} dir="auto">
          {order.agreed.title}
        </a>
      ),
    },
    { title: words.state, cell: (order) => <StateTag order={order} /> },
    {
      title: words.key,
      cell: ({ licenseKey }) => (licenseKey === null ? '–' : <code class="whole">{licenseKey}</code>),
    },
    {
      title: words.amount,
      isNumber: true,
      cell: ({ payment: { total, currency } }) => (total === 0 ? priceOf(0) : moneyOf(total, currency)),
    },
    { title: words.date, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
}
