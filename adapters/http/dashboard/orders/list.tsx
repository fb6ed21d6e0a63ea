import { type Order, orderStates } from '../../../../core/purchases/order.ts';
import type { OrderWish } from '../../../../core/selling/order-list.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState, NoRows } from '../../ui/empty-state.tsx';
import type { Options } from '../../ui/form.tsx';
import type { Column } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { areaWords } from '../../ui/words.ts';
import { type Asked, list, type ShownRows } from '../kit/list.tsx';
import { isPlain, withAll } from '../kit/listing.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { type Owners, ownerLink, ownersOf } from '../kit/people.tsx';
import { chosen, startOf } from '../kit/query.ts';
import { withOwnProducts } from '../kit/selling.tsx';
import { OrderTable, type OrderTools } from './subject.tsx';
import { subscriptionWords } from './subscription-words.ts';
import { words } from './words.ts';

const perPage = 50;

interface Found {
  readonly rows: readonly Order[];
  readonly next: string | null;
  /** The choices of the filter by product. Without them, the product is typed. */
  readonly products?: Options | undefined;
  /** The orders of both modes that wait for the reader, before the list of all. */
  readonly waiting?: readonly Order[];
  readonly owners?: Owners;
}

const filters = {
  q: { label: words.search },
  state: { label: words.state, options: withAll(words.states) },
  product: { label: words.product, options: ({ products }: Found) => products, typed: words.productSlug },
  from: { label: words.from, isDate: true },
  to: { label: words.to, isDate: true },
};
type Wanted = Asked<keyof typeof filters>;

/** Two lists: the reader's own (also for administrators), and those of all sellers. */
export function orderLists(tools: DashboardTools, { list: orders, products, accounts }: OrderTools): Endpoint[] {
  const shared = { title: words.title, filters, none: { advice: words.noneFoundAdvice } };
  const find = async (asked: Wanted) => {
    const query = { ...wishOf(asked), after: asked.after, limit: perPage };
    const found = orFail(await orders.list(query, asked.seller));
    return { rows: found.orders, next: found.next };
  };
  return [
    ...list(tools, {
      ...shared,
      id: 'admin-orders',
      place: { area: 'admin', at: 'orders' },
      audience: 'purchases:manage',
      reach: 'all',
      async find(asked): Promise<Found> {
        const [found, waiting] = await Promise.all([
          find(asked),
          isPlain(asked) ? orders.waiting(asked.seller.actor) : [],
        ]);
        const owners = await ownersOf(
          accounts,
          [...found.rows, ...waiting].map(({ sellerId }) => sellerId),
        );
        return { ...found, waiting, owners };
      },
      show: showAll,
    }),
    ...list(tools, {
      ...shared,
      id: 'selling-orders',
      place: { area: 'selling', at: 'orders' },
      audience: 'user',
      reach: 'own',
      find: (asked): Promise<Found> => withOwnProducts(products, asked, find(asked)),
      show: showOwn,
      csv: { filename: 'orders.csv', write: (asked) => orders.export(wishOf(asked), asked.seller) },
    }),
  ];
}

/** Returns the query that the filters describe. The last day is included. */
function wishOf({ choices: { q, product, state, from, to }, ownerId }: Wanted): OrderWish {
  const wanted = chosen(state, orderStates);
  return {
    search: q || undefined,
    product: product || undefined,
    states: wanted && [wanted],
    from: startOf(from),
    to: startOf(to, 1),
    sellerId: ownerId,
  };
}

function showAll({ rows, waiting = [], owners = new Map() }: Found, { root, address }: Wanted): ShownRows {
  const { modes } = areaWords;
  const seller: Column<Order> = {
    title: words.columns.seller,
    cell: ({ sellerId }) => ownerLink(root, sellerId, owners),
  };
  const mode: Column<Order> = {
    title: words.columns.mode,
    cell: ({ isLive }) => modes[isLive ? 'live' : 'test'],
  };
  return {
    actions: <ButtonLink href={`${address}/subscriptions`} text={subscriptionWords.name} />,
    above: waiting.length > 0 && (
      <section>
        <PartHead title={words.admin.waitingTitle} lead={words.admin.waitingLead} isFirst />
        <OrderTable root={root} label={words.admin.waitingTitle} orders={waiting} more={[seller, mode]} />
        <PartHead title={words.admin.allTitle} />
      </section>
    ),
    table: <OrderTable root={root} label={words.list} orders={rows} more={[seller]} />,
    first: <NoRows icon="orders" title={words.noneAtAll} advice={words.noneAtAllAdvice} href={address} />,
  };
}

function showOwn({ rows }: Found, { root, address, seller }: Wanted): ShownRows {
  return {
    actions: (
      <>
        <ButtonLink href={`${address}/subscriptions`} text={subscriptionWords.name} />
        <ButtonLink href={`${address}/revenue`} text={words.revenue.name} />
      </>
    ),
    table: <OrderTable root={root} label={words.list} orders={rows} />,
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
