import type { VNode } from 'preact';
import type { Instant } from '../../../../core/ports/clock.ts';
import type { DayOfRevenue } from '../../../../core/ports/order-store.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { overviewDays } from '../../../../core/selling/overview.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { moneyOf } from '../../ui/prices.ts';
import { orFail, type SignedInVisit } from '../kit/page.ts';
import { sellerIn, sellingPath } from '../kit/selling.tsx';
import { daysUntil, Figure, RevenuePlot, splitAt, startBefore, totalOf } from '../orders/revenue.tsx';
import { isPossible, OrderTable, type OrderTools, orderPath, readerOf } from '../orders/subject.tsx';
import { words as orderWords } from '../orders/words.ts';

const { revenue: words } = orderWords;
const mostOrders = 5;
/** Of so many unpaid orders, those that somebody has to mark as paid are looked for. */
const mostOpen = 50;

/** The orders of a seller: the newest, those that wait for the seller, and what was paid. */
export interface Sales {
  readonly newest: readonly Order[];
  readonly toAct: readonly Order[];
  /** The start of each day that the overview counts, oldest first. */
  readonly days: readonly Instant[];
  readonly shown: readonly DayOfRevenue[];
  /** As many days before. */
  readonly before: readonly DayOfRevenue[];
}

/** The dependencies of the orders on the overview. */
export type SalesTools = Pick<OrderTools, 'list' | 'orders'>;

export async function salesIn(visit: SignedInVisit, tools: SalesTools, now: Instant): Promise<Sales> {
  const { list: orders } = tools;
  const seller = sellerIn(visit);
  const sellerId = visit.me.login.id;
  const days = daysUntil(now, overviewDays);
  const [newest, urgent, open, revenue] = await Promise.all([
    orders.list({ sellerId, limit: mostOrders }, seller),
    orders.list({ sellerId, states: ['disputed', 'held'], limit: mostOrders }, seller),
    orders.list({ sellerId, states: ['open'], limit: mostOpen }, seller),
    orders.revenue(startBefore(days), { sellerId }, seller),
  ]);
  const waiting = orFail(open).orders.filter(({ provider }) => provider === 'manual');
  // All orders by hand are recorded by the same people.
  const isMine = waiting[0] !== undefined && isPossible('paid', waiting[0], await readerOf(tools, visit, waiting[0]));
  return {
    newest: orFail(newest).orders,
    toAct: [...orFail(urgent).orders, ...(isMine ? waiting : [])].slice(0, mostOrders),
    days,
    ...splitAt(days, orFail(revenue)),
  };
}

interface Shown {
  readonly visit: SignedInVisit;
  readonly sales: Sales;
}

/** The revenue of the last days beside that of the days before, in the currency with most orders. Nothing before the first order. */
export function Money({ visit, sales: { newest, days, shown, before } }: Shown): VNode | null {
  const [first] = newest;
  if (first === undefined) return null;
  const { root } = visit.frame;
  const currency = mainCurrency(shown) ?? mainCurrency(before) ?? first.payment.currency;
  const inIt = (rows: readonly DayOfRevenue[]) => rows.filter((one) => one.currency === currency);
  const [now, then] = [totalOf(inIt(shown)), totalOf(inIt(before))];
  const [net, netBefore] = [now.paid - now.refunded, then.paid - then.refunded];
  const revenue = `${root}${sellingPath(visit, 'orders/revenue')}`;
  return (
    <section>
      <dl class="numbers">
        <Figure name={words.lastDays(days.length)} below={<Change now={net} before={netBefore} currency={currency} />}>
          <a class="numbers-link" href={revenue}>
            {moneyOf(net, currency)}
          </a>
        </Figure>
        <Figure name={words.refunded} below={words.beforeThat(moneyOf(then.refunded, currency))}>
          <a class="numbers-link" href={revenue}>
            {moneyOf(now.refunded, currency)}
          </a>
        </Figure>
        <Figure name={words.paidOrders(days.length)} below={words.beforeThat(readableNumber(then.orders))}>
          <a class="numbers-link" href={`${root}${sellingPath(visit, 'orders')}?state=paid`}>
            {readableNumber(now.orders)}
          </a>
        </Figure>
      </dl>
      {now.paid + then.paid > 0 && (
        <RevenuePlot
          root={root}
          currency={currency}
          days={days}
          found={inIt(shown)}
          before={inIt(before)}
          isTableFolded
        />
      )}
    </section>
  );
}

function mainCurrency(rows: readonly DayOfRevenue[]): string | undefined {
  const currencies = [...new Set(rows.map(({ currency }) => currency))];
  const ordersIn = (currency: string) => totalOf(rows.filter((one) => one.currency === currency)).orders;
  return currencies.toSorted((one, other) => ordersIn(other) - ordersIn(one))[0];
}

/** How much more or less than before. */
function Change({
  now,
  before,
  currency,
}: {
  readonly now: number;
  readonly before: number;
  readonly currency: string;
}): VNode {
  const percent = before > 0 ? Math.round(((now - before) / before) * 100) : 0;
  return (
    <>
      {percent !== 0 && (
        <span class={percent > 0 ? 'tag good' : 'tag bad'}>
          {percent > 0 ? '+' : '−'}
          {readableNumber(Math.abs(percent))}%
        </span>
      )}{' '}
      {words.beforeThat(moneyOf(before, currency))}
    </>
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
