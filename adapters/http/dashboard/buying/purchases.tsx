import type { VNode } from 'preact';
import type { Order } from '../../../../core/purchases/order.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { moneyOf, priceOf } from '../../ui/prices.ts';
import { Time } from '../../ui/time.tsx';
import { list } from '../kit/list.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { type BuyingTools, pathOf, StateTag } from './frame.tsx';
import { words } from './words.ts';

const { purchases: names } = words;
const onPage = 25;

/** The list of the orders that a user made with their account. */
export function purchasesPage(tools: DashboardTools, { purchases }: BuyingTools): Endpoint[] {
  return list(tools, {
    id: 'purchases',
    place: { area: 'account', at: 'purchases' },
    audience: 'user',
    title: names.title,
    filters: {},
    async find({ visit: { me }, after }) {
      const { orders, next } = orFail(await purchases.list(me.login.id, { after, limit: onPage }));
      return { rows: orders, next };
    },
    show: ({ rows }, { root, visit: { me } }) => ({
      above: (
        <>
          <p class="intro">{names.lead}</p>
          {me.login.emailVerifiedAt === null && (
            <p class="note">
              {names.unverified} <a href={`${root}${areas.account.security}`}>{names.verify}</a>
            </p>
          )}
        </>
      ),
      table: <List label={names.list} columns={columnsOf(root)} rows={rows} keyOf={({ id }) => id} />,
      first: (
        <EmptyState heading="h2" icon="purchases" title={names.none}>
          <p>{names.noneLead}</p>
          <p class="actions">
            <ButtonLink href={`${root}marketplace`} text={names.browse} look="primary" />
          </p>
        </EmptyState>
      ),
    }),
    none: { title: names.none, advice: names.noneLead },
    pages: names.list,
    scripts: ['copy.js'],
  });
}

function columnsOf(root: string): readonly Column<Order>[] {
  return [
    {
      title: names.product,
      cell: (order): VNode => (
        <a class="breakable" href={`${root}${pathOf(order)}`} dir="auto">
          {order.agreed.title}
        </a>
      ),
    },
    { title: names.state, isState: true, cell: (order) => <StateTag order={order} /> },
    {
      title: names.key,
      cell: ({ licenseKey }) => (licenseKey === null ? '–' : <code class="whole">{licenseKey}</code>),
    },
    {
      title: names.amount,
      isNumber: true,
      cell: ({ payment: { total, currency } }) => (total === 0 ? priceOf(0) : moneyOf(total, currency)),
    },
    { title: names.date, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
}
