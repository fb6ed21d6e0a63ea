import type { VNode } from 'preact';
import type { Order } from '../../../../core/purchases/order.ts';
import { agreedNow, standingOf, subscriptionStates } from '../../../../core/purchases/subscription.ts';
import type { SubscriptionQuery } from '../../../../core/selling/subscriptions.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState, NoRows } from '../../ui/empty-state.tsx';
import type { Options } from '../../ui/form.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { everyOf } from '../../ui/offer-words.ts';
import { moneyOf } from '../../ui/prices.ts';
import { Day } from '../../ui/time.tsx';
import { type Asked, list, type ShownRows } from '../kit/list.tsx';
import { withAll } from '../kit/listing.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { type Owners, ownerLink, ownersOf, PersonText } from '../kit/people.tsx';
import { chosen } from '../kit/query.ts';
import { withOwnProducts } from '../kit/selling.tsx';
import { type OrderTools, orderPath } from './subject.tsx';
import { subscriptionWords as words } from './subscription-words.ts';
import { words as orderWords } from './words.ts';

const perPage = 50;

interface Found {
  readonly rows: readonly Order[];
  readonly next: string | null;
  /** The choices of the filter by product. Without them, the product is typed. */
  readonly products?: Options | undefined;
  readonly owners?: Owners;
}

const filters = {
  q: { label: words.search },
  state: { label: words.state, options: withAll(words.states) },
  product: { label: words.product, options: ({ products }: Found) => products, typed: orderWords.productSlug },
};
type Wanted = Asked<keyof typeof filters>;

/** Two lists: the reader's own (also for administrators), and those of all sellers. Both are below the orders. */
export function subscriptionLists(
  tools: DashboardTools,
  { subscriptions, products, accounts }: OrderTools,
): Endpoint[] {
  const shared = { below: 'subscriptions', title: words.title, filters, none: { advice: words.noneFoundAdvice } };
  const find = async (asked: Wanted) => {
    const query = { ...wishOf(asked), after: asked.after, limit: perPage };
    const found = orFail(await subscriptions.list(query, asked.seller));
    return { rows: found.orders, next: found.next };
  };
  return [
    ...list(tools, {
      ...shared,
      id: 'admin-subscriptions',
      place: { area: 'admin', at: 'orders' },
      audience: 'purchases:manage',
      reach: 'all',
      async find(asked): Promise<Found> {
        const found = await find(asked);
        const owners = await ownersOf(
          accounts,
          found.rows.map(({ sellerId }) => sellerId),
        );
        return { ...found, owners };
      },
      show: showAll,
    }),
    ...list(tools, {
      ...shared,
      id: 'selling-subscriptions',
      place: { area: 'selling', at: 'orders' },
      audience: 'user',
      reach: 'own',
      find: (asked): Promise<Found> => withOwnProducts(products, asked, find(asked)),
      show: showOwn,
    }),
  ];
}

function wishOf({ choices: { q, product, state }, ownerId }: Wanted): Omit<SubscriptionQuery, 'limit'> {
  return {
    search: q || undefined,
    product: product || undefined,
    state: chosen(state, subscriptionStates),
    sellerId: ownerId,
  };
}

function showAll({ rows, owners = new Map() }: Found, { root, address }: Wanted): ShownRows {
  const seller: Column<Order> = {
    title: words.columns.seller,
    cell: ({ sellerId }) => ownerLink(root, sellerId, owners),
  };
  return {
    table: <SubscriptionTable root={root} rows={rows} more={[seller]} />,
    first: <NoRows icon="orders" title={words.noneTitle} advice={words.noneAtAllAdvice} href={address} />,
  };
}

function showOwn({ rows }: Found, { root, seller }: Wanted): ShownRows {
  return {
    table: <SubscriptionTable root={root} rows={rows} />,
    first: (
      <EmptyState heading="h2" icon="orders" title={words.noneTitle}>
        <p>{seller.mode === 'live' ? words.none : words.noneTest}</p>
        <p class="actions">
          <ButtonLink href={`${root}selling/${seller.mode}/products`} text={words.toProducts} />
        </p>
      </EmptyState>
    ),
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
        { title: columns.state, isState: true, cell: (order) => <SubscriptionTag order={order} /> },
        { title: columns.price, isNumber: true, cell: (order) => <PriceByInterval agreed={agreedNow(order)} /> },
        { title: columns.buyer, cell: ({ buyer }) => <PersonText person={buyer} /> },
        { title: columns.next, cell: (order) => <NextDate order={order} /> },
        { title: columns.license, cell: (order) => <License order={order} root={root} /> },
        ...more,
      ]}
      rows={rows}
      keyOf={({ id }) => id}
    />
  );
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
  const key = order.licenseKey ?? order.renews;
  const licenses = `${root}${areas.selling.licenses.replace(':mode', order.isLive ? 'live' : 'test')}`;
  if (key === null) return null;
  return (
    <a href={`${licenses}/${key}`} class="whole">
      {key}
    </a>
  );
}

const looks = {
  running: 'tag good',
  past_due: 'tag bad',
  paused: 'tag busy',
  cancelled: 'tag busy',
  ended: 'tag',
} as const satisfies Record<keyof typeof words.states, string>;

/** How a subscription stands. Nothing if the order began none. */
export function SubscriptionTag({
  order: { subscription },
}: {
  readonly order: Pick<Order, 'subscription'>;
}): VNode | null {
  if (subscription === null) return null;
  const state = standingOf(subscription);
  return <span class={looks[state]}>{words.states[state]}</span>;
}
