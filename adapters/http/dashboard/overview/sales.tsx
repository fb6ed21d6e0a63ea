import type { VNode } from 'preact';
import { isOfSandbox } from '../../../../core/accounts/user.ts';
import type { InvoiceProfiles } from '../../../../core/invoices/invoice-profiles.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { overviewDays } from '../../../../core/selling/overview.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { Money, type Paid, paidIn } from '../kit/money.tsx';
import { orFail, type SignedInVisit } from '../kit/page.ts';
import { sellerIn, sellingPath } from '../kit/selling.tsx';
import { OrderTable, type OrderTools, orderPath } from '../orders/subject.tsx';
import { words as orderWords } from '../orders/words.ts';
import { words as overviewWords } from './words.ts';

const { revenue: words } = orderWords;
const mostOrders = 5;
/** Of so many unpaid orders, those that somebody has to mark as paid are looked for. */
const mostOpen = 50;

/** The orders of a seller: the newest, those that wait for the seller, and what was paid. */
export interface Sales {
  readonly newest: readonly Order[];
  readonly toAct: readonly Order[];
  readonly paid: Paid;
  /** Something was sold for money, and the invoices lack the details of the seller. */
  readonly lacksDetails: boolean;
}

/** The dependencies of the orders on the overview. */
export interface SalesTools extends Pick<OrderTools, 'list' | 'orders'> {
  readonly profiles: Pick<InvoiceProfiles, 'show'>;
}

export async function salesIn(visit: SignedInVisit, tools: SalesTools, now: Instant): Promise<Sales> {
  const { list: orders } = tools;
  const seller = sellerIn(visit);
  const sellerId = visit.me.login.id;
  const [newest, urgent, open, paid] = await Promise.all([
    orders.list({ sellerId, limit: mostOrders, isOnlyPage: true }, seller),
    orders.list({ sellerId, states: ['disputed', 'held'], limit: mostOrders, isOnlyPage: true }, seller),
    orders.list({ sellerId, states: ['open'], limit: mostOpen, isOnlyPage: true }, seller),
    paidIn(orders, { now, days: overviewDays, sellerId }, seller),
  ]);
  const waiting = orFail(open).orders.filter(({ provider }) => provider === 'manual');
  // All orders by hand are recorded by the same people.
  const [first] = waiting;
  const isMine = first !== undefined && (await tools.orders.possible(first, seller)).acts.includes('pay');
  const isSelling = orFail(newest).orders.some(({ number }) => number !== null);
  return {
    // The invoices of a sandbox go to nobody.
    lacksDetails:
      !isOfSandbox(visit.me.login) && isSelling && orFail(await tools.profiles.show('own', seller.actor)) === undefined,
    newest: orFail(newest).orders,
    toAct: [...orFail(urgent).orders, ...(isMine ? waiting : [])].slice(0, mostOrders),
    paid,
  };
}

interface Shown {
  readonly visit: SignedInVisit;
  readonly sales: Sales;
}

/** The revenue. Shows nothing before the first order. */
export function MoneyPart({ visit, sales: { newest, paid } }: Shown): VNode | null {
  const [first] = newest;
  if (first === undefined) return null;
  const { root } = visit.frame;
  const orders = `${root}${sellingPath(visit, 'orders')}`;
  const links = { revenue: `${orders}/revenue`, orders: `${orders}?state=paid` };
  return <Money root={root} paid={paid} currency={first.payment.currency} links={links} hasPlot />;
}

/** Asks a seller for the details on invoices, as long as there are none. */
export function DetailsHint({ visit, sales }: Shown): VNode | null {
  if (!sales.lacksDetails) return null;
  const { details } = overviewWords;
  return (
    <p class="note">
      {details.lacking}{' '}
      <a href={`${visit.frame.root}${sellingPath(visit, 'orders')}/invoice-details`}>{details.enter}</a>
    </p>
  );
}

/** What is urgent comes first, and last what waits for somebody else. */
const urgency = (state: Order['state']) => (state === 'disputed' ? 0 : state === 'held' ? 2 : 1);

/** The orders that wait for the seller, each with what to do. Nothing if there are none. */
export function OrdersToAct({ visit, sales: { toAct } }: Shown): VNode | null {
  if (toAct.length === 0) return null;
  const { root } = visit.frame;
  const actOn = ({ state }: Order) => (state === 'disputed' || state === 'held' ? words.act[state] : words.act.open);
  return (
    <section>
      <PartHead title={words.toAct} />
      <OrderTable
        root={root}
        label={words.toAct}
        orders={toAct.toSorted((one, other) => urgency(one.state) - urgency(other.state))}
        toDo={{
          title: words.whatToDo,
          cell: (order) =>
            order.state === 'held' ? (
              <small>{actOn(order)}</small>
            ) : (
              <a href={`${root}${orderPath(order)}`}>{actOn(order)}</a>
            ),
        }}
      />
    </section>
  );
}

export function NewestOrders({ visit, sales: { newest } }: Shown): VNode | null {
  if (newest.length === 0) return null;
  const { root } = visit.frame;
  return (
    <section>
      <PartHead title={words.newest}>
        <ButtonLink href={`${root}${sellingPath(visit, 'orders')}`} text={words.seeAll} look="small" />
      </PartHead>
      <OrderTable root={root} label={words.newest} orders={newest} />
    </section>
  );
}
