import type { VNode } from 'preact';
import type { Customer } from '../../../../core/ports/customers.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import type { CustomerList } from '../../../../core/selling/customers.ts';
import type { Endpoint } from '../../surface.ts';
import { placePath } from '../../ui/area-page.tsx';
import { NoRows } from '../../ui/empty-state.tsx';
import { List } from '../../ui/list.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { moneyOf } from '../../ui/prices.ts';
import { Day } from '../../ui/time.tsx';
import { type Asked, type ListPage, list } from '../kit/list.tsx';
import type { Rows } from '../kit/listing.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { addressWith } from '../kit/query.ts';
import { NoneYet } from './both-lists.tsx';
import { customerWords as words } from './customer-words.ts';

const perPage = 50;
const filters = { q: { label: words.search } };
type Wanted = Asked<keyof typeof filters>;

interface Found extends Rows {
  readonly rows: readonly Customer[];
}

/** They are below the orders: the reader's own, and those of all sellers. */
export function customerLists(tools: DashboardTools, customers: CustomerList): Endpoint[] {
  const wishOf = ({ choices: { q }, ownerId }: Wanted) => ({ search: q || undefined, sellerId: ownerId });
  const shared = {
    below: 'customers',
    title: words.title,
    filters,
    none: { advice: words.noneFoundAdvice },
    async find(asked: Wanted): Promise<Found> {
      const query = { ...wishOf(asked), after: asked.after, limit: perPage };
      const { customers: rows, next } = orFail(await customers.list(query, asked.seller));
      return { rows, next };
    },
    csv: { filename: 'customers.csv', write: (asked: Wanted) => customers.export(wishOf(asked), asked.seller) },
  } as const satisfies Partial<ListPage<keyof typeof filters, Found>>;
  return [
    ...list(tools, {
      ...shared,
      id: 'admin-customers',
      place: { area: 'admin', at: 'orders' },
      audience: 'purchases:manage',
      reach: 'all',
      show: ({ rows }, asked) => ({
        table: <CustomerTable asked={asked} rows={rows} />,
        first: <NoRows icon="orders" title={words.noneTitle} advice={words.noneAtAllAdvice} href={asked.address} />,
      }),
    }),
    ...list(tools, {
      ...shared,
      id: 'selling-customers',
      place: { area: 'selling', at: 'orders' },
      audience: 'user',
      reach: 'own',
      show: ({ rows }, asked) => ({
        table: <CustomerTable asked={asked} rows={rows} />,
        first: <NoneYet asked={asked} words={words} />,
      }),
    }),
  ];
}

/** Leads from an order to its buyer in the list of customers: the reader's own, or that of all. */
export function CustomerLink({
  order: { buyer, isLive },
  root,
  isOwn,
}: {
  readonly order: Order;
  readonly root: string;
  readonly isOwn: boolean;
}): VNode {
  const mode = isLive ? 'live' : 'test';
  const orders = placePath({ area: isOwn ? 'selling' : 'admin', at: 'orders' }, mode);
  const query = { q: buyer.email, mode: isOwn || isLive ? '' : mode };
  return <a href={addressWith(`${root}${orders}/customers`, query)}>{words.fromOrder}</a>;
}

/** Each name leads to the orders of the customer, of the mode that the list shows. */
function CustomerTable({
  asked: { address, choices },
  rows,
}: {
  readonly asked: Wanted;
  readonly rows: readonly Customer[];
}): VNode {
  const { columns } = words;
  const { mode = '' } = choices as Readonly<Record<string, string>>;
  const orders = address.slice(0, address.lastIndexOf('/'));
  const counted = (text: string, { mayHaveMore }: Customer) => (mayHaveMore ? words.atLeast(text) : text);
  return (
    <List
      label={words.list}
      columns={[
        {
          title: columns.customer,
          cell: ({ name, email }) => (
            <span class="breakable holder">
              <a href={addressWith(orders, { q: email, mode })} dir="auto">
                {name ?? email}
              </a>
              {name !== null && (
                <span class="under">
                  <bdi>{email}</bdi>
                </span>
              )}
            </span>
          ),
        },
        { title: columns.kept, isNumber: true, cell: (one) => <Kept customer={one} /> },
        {
          title: columns.orders,
          isNumber: true,
          cell: (one) => counted(readableNumber(one.orders), one),
        },
        {
          title: columns.licenses,
          isNumber: true,
          cell: (one) => counted(readableNumber(one.licenses), one),
        },
        { title: columns.last, cell: ({ lastOrderAt }) => <Day at={lastOrderAt} /> },
        {
          title: columns.visit,
          cell: ({ lastVisitAt }) => (lastVisitAt === null ? words.never : <Day at={lastVisitAt} />),
        },
      ]}
      rows={rows}
    />
  );
}

/** One line for each currency. */
function Kept({ customer: { kept, mayHaveMore } }: { readonly customer: Customer }): VNode {
  return (
    <>
      {kept.map(({ currency, amount }, at) => {
        const money = moneyOf(amount, currency);
        return (
          <span key={currency}>
            {at > 0 && <br />}
            {mayHaveMore ? words.atLeast(money) : money}
          </span>
        );
      })}
    </>
  );
}
