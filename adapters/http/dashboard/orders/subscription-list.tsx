import type { VNode } from 'preact';
import { licenseOf, type Order } from '../../../../core/purchases/order.ts';
import { agreedNow, standingOf, subscriptionStates } from '../../../../core/purchases/subscription.ts';
import type { SubscriptionQuery } from '../../../../core/selling/subscriptions.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { NoRows } from '../../ui/empty-state.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { everyOf } from '../../ui/offer-words.ts';
import { moneyOf } from '../../ui/prices.ts';
import { SubscriptionTag, subscriptionNames } from '../../ui/subscription-tag.tsx';
import { Day } from '../../ui/time.tsx';
import type { Asked, ShownRows } from '../kit/list.tsx';
import { withAll } from '../kit/listing.tsx';
import type { DashboardTools } from '../kit/page.ts';
import { PersonText } from '../kit/people.tsx';
import { chosen } from '../kit/query.ts';
import { bothLists, type FoundOrders, NoneYet, sellerColumn } from './both-lists.tsx';
import { type OrderTools, orderPath } from './subject.tsx';
import { subscriptionWords as words } from './subscription-words.ts';
import { words as orderWords } from './words.ts';

const { due: _, ...states } = subscriptionNames;
const filters = {
  q: { label: words.search },
  state: { label: words.state, options: withAll(states) },
  product: { label: words.product, options: ({ products }: FoundOrders) => products, typed: orderWords.productSlug },
};
type Wanted = Asked<keyof typeof filters>;

/** They are below the orders. */
export function subscriptionLists(tools: DashboardTools, own: OrderTools): Endpoint[] {
  return bothLists(tools, own, {
    name: 'subscriptions',
    below: 'subscriptions',
    title: words.title,
    filters,
    none: { advice: words.noneFoundAdvice },
    find: (asked, limit) => own.subscriptions.list({ ...wishOf(asked), after: asked.after, limit }, asked.seller),
    showAll,
    showOwn,
  });
}

function wishOf({ choices: { q, product, state }, ownerId }: Wanted): Omit<SubscriptionQuery, 'limit'> {
  return {
    search: q || undefined,
    product: product || undefined,
    state: chosen(state, subscriptionStates),
    sellerId: ownerId,
  };
}

function showAll({ rows, owners }: FoundOrders, { root, address }: Wanted): ShownRows {
  return {
    table: <SubscriptionTable root={root} rows={rows} more={[sellerColumn(root, owners)]} />,
    first: <NoRows icon="orders" title={words.noneTitle} advice={words.noneAtAllAdvice} href={address} />,
  };
}

function showOwn({ rows }: FoundOrders, asked: Wanted): ShownRows {
  return {
    table: <SubscriptionTable root={asked.root} rows={rows} />,
    first: <NoneYet asked={asked} words={words} />,
  };
}

/** A list of subscriptions. On a phone, the first two columns show without scrolling. */
function SubscriptionTable({
  root,
  rows,
  more = [],
}: {
  readonly root: string;
  readonly rows: readonly Order[];
  /** More columns at the end. */
  readonly more?: readonly Column<Order>[];
}): VNode {
  const { columns } = words;
  return (
    <List
      label={words.list}
      columns={[
        {
          title: columns.product,
          cell: (order) => (
            <>
              <a href={`${root}${orderPath(order)}#subscription`} dir="auto" class="breakable">
                {order.agreed.title}
              </a>
              <span class="under" dir="auto">
                {agreedNow(order).offer?.name}
              </span>
            </>
          ),
        },
        { title: columns.state, isState: true, cell: (order) => <Standing order={order} /> },
        { title: columns.price, isNumber: true, cell: (order) => <PriceByInterval agreed={agreedNow(order)} /> },
        { title: columns.buyer, cell: ({ buyer }) => <PersonText person={buyer} /> },
        { title: columns.next, cell: (order) => <NextDate order={order} /> },
        { title: columns.license, cell: (order) => <License order={order} root={root} /> },
        ...more,
      ]}
      rows={rows}
    />
  );
}

function Standing({ order: { subscription } }: { readonly order: Order }): VNode | null {
  return subscription && <SubscriptionTag state={standingOf(subscription)} />;
}

function PriceByInterval({ agreed: { price, currency, offer } }: { readonly agreed: Order['agreed'] }): VNode {
  return (
    <>
      {moneyOf(price, currency)}
      <small class="under">{everyOf(offer?.recurs?.months ?? 1)}</small>
    </>
  );
}

function NextDate({ order: { subscription } }: { readonly order: Order }): VNode | null {
  if (subscription === null) return null;
  const { paidTo, endedAt } = subscription;
  return (
    <>
      <Day at={endedAt ?? paidTo} />
      <small class="under">{words.dates[standingOf(subscription)]}</small>
    </>
  );
}

function License({ order, root }: { readonly order: Order; readonly root: string }): VNode | null {
  const key = licenseOf(order);
  const licenses = `${root}${areas.selling.licenses.replace(':mode', order.isLive ? 'live' : 'test')}`;
  if (key === null) return null;
  return (
    <a href={`${licenses}/${key}`} class="whole">
      {key}
    </a>
  );
}
