import { type Order, orderStates } from '../../../../core/purchases/order.ts';
import type { OrderWish } from '../../../../core/selling/order-list.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { NoRows } from '../../ui/empty-state.tsx';
import type { Column } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { areaWords } from '../../ui/words.ts';
import { profileWords } from '../invoicing/profile.tsx';
import type { Asked, ShownRows } from '../kit/list.tsx';
import { isPlain, withAll } from '../kit/listing.tsx';
import type { DashboardTools } from '../kit/page.ts';
import { chosen, startOf } from '../kit/query.ts';
import { words as walletWords } from '../wallets/words.ts';
import { bothLists, type FoundOrders, NoneYet, sellerColumn } from './both-lists.tsx';
import { claimWords } from './claim-words.ts';
import { customerWords } from './customer-words.ts';
import { OrderTable, type OrderTools } from './subject.tsx';
import { subscriptionWords } from './subscription-words.ts';
import { words } from './words.ts';

const filters = {
  q: { label: words.search },
  state: { label: words.state, options: withAll(words.states) },
  product: { label: words.product, options: ({ products }: FoundOrders) => products, typed: words.productSlug },
  from: { label: words.from, isDate: true },
  to: { label: words.to, isDate: true },
};
type Wanted = Asked<keyof typeof filters>;

export function orderLists(tools: DashboardTools, own: OrderTools): Endpoint[] {
  const { list: orders } = own;
  return bothLists(tools, own, {
    name: 'orders',
    filters,
    none: { advice: words.noneFoundAdvice },
    find: (asked, limit) => orders.list({ ...wishOf(asked), after: asked.after, limit }, asked.seller),
    waiting: async (asked) => (isPlain(asked) ? await orders.waiting(asked.seller.actor) : []),
    showAll: (found, asked) => showAll(found, asked, own.wallets.chainIds.length > 0),
    showOwn: (found, asked) => showOwn(found, asked, own.wallets.chainIds.length > 0),
    csv: { filename: 'orders.csv', write: (asked) => orders.export(wishOf(asked), asked.seller) },
  });
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

function showAll(
  { rows, waiting = [], owners }: FoundOrders,
  { root, address }: Wanted,
  takesUsdc: boolean,
): ShownRows {
  const { modes } = areaWords;
  const seller = sellerColumn(root, owners);
  const mode: Column<Order> = {
    title: words.columns.mode,
    cell: ({ isLive }) => modes[isLive ? 'live' : 'test'],
  };
  return {
    actions: (
      <>
        <ButtonLink href={`${address}/customers`} text={customerWords.name} />
        <ButtonLink href={`${address}/subscriptions`} text={subscriptionWords.name} />
        {takesUsdc && <ButtonLink href={`${address}/claims`} text={claimWords.title} />}
      </>
    ),
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

function showOwn({ rows }: FoundOrders, asked: Wanted, takesUsdc: boolean): ShownRows {
  const { root, address } = asked;
  return {
    actions: (
      <>
        <ButtonLink href={`${address}/customers`} text={customerWords.name} />
        <ButtonLink href={`${address}/subscriptions`} text={subscriptionWords.name} />
        <ButtonLink href={`${address}/revenue`} text={words.revenue.name} />
        <ButtonLink href={`${address}/invoice-details`} text={profileWords.title} />
        {takesUsdc && <ButtonLink href={`${address}/claims`} text={claimWords.title} />}
        {takesUsdc && <ButtonLink href={`${address}/wallets`} text={walletWords.title} />}
      </>
    ),
    table: <OrderTable root={root} label={words.list} orders={rows} />,
    first: <NoneYet asked={asked} words={words} />,
  };
}
