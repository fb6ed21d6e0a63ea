import type { VNode } from 'preact';
import type { Instant } from '../../../../../core/ports/clock.ts';
import type { DayOfRevenue } from '../../../../../core/ports/order-store.ts';
import type { Order } from '../../../../../core/purchases/order.ts';
import type { OrderList } from '../../../../../core/selling/order-list.ts';
import { moneyOf } from '../../../ui/prices.ts';
import { texts } from '../../../ui/texts.ts';
import { orFail } from '../../or-fail.ts';
import type { SignedInVisit } from '../../visit.ts';
import { OrderTable } from '../orders/order-table.tsx';
import { totalOf } from '../orders/revenue.tsx';
import { sellerIn, sellingPath } from '../selling-page.tsx';

const { revenue: words } = texts.sellingOrders;
const mostOrders = 5;

/** The newest orders of a seller, and what was paid in this month (UTC). */
export interface Sales {
  readonly newest: readonly Order[];
  readonly thisMonth: readonly DayOfRevenue[];
}

export async function salesIn(visit: SignedInVisit, orders: OrderList, now: Instant): Promise<Sales> {
  const seller = sellerIn(visit);
  const sellerId = visit.me.login.id;
  const month = new Date(now);
  const [newest, thisMonth] = await Promise.all([
    orders.list({ sellerId, limit: mostOrders }, seller),
    orders.revenue(Date.UTC(month.getUTCFullYear(), month.getUTCMonth()), { sellerId }, seller),
  ]);
  return { newest: orFail(newest).orders, thisMonth: orFail(thisMonth) };
}

/** The revenue of this month, in the currency with most orders. Nothing before the first order. */
export function RevenueFigure({
  visit,
  sales: { newest, thisMonth },
}: {
  readonly visit: SignedInVisit;
  readonly sales: Sales;
}): VNode | null {
  const first = newest[0];
  if (first === undefined) return null;
  const currencies = [...new Set(thisMonth.map(({ currency }) => currency))];
  const sums = currencies.map((currency) => ({
    currency,
    ...totalOf(thisMonth.filter((one) => one.currency === currency)),
  }));
  const [main] = sums.toSorted((one, other) => other.orders - one.orders);
  const { currency, paid, refunded } = main ?? { currency: first.payment.currency, paid: 0, refunded: 0 };
  return (
    <div>
      <dt>{words.thisMonth}</dt>
      <dd>
        <a class="numbers-link" href={`${visit.frame.root}${sellingPath(visit, 'orders/revenue')}`}>
          {moneyOf(paid - refunded, currency)}
        </a>
      </dd>
    </div>
  );
}

export function NewestOrders({
  visit,
  sales: { newest },
}: {
  readonly visit: SignedInVisit;
  readonly sales: Sales;
}): VNode | null {
  if (newest.length === 0) return null;
  const { root } = visit.frame;
  return (
    <section>
      <div class="part">
        <h2>{words.newest}</h2>
        <a class="button small" href={`${root}${sellingPath(visit, 'orders')}`}>
          {words.seeAll}
        </a>
      </div>
      <OrderTable root={root} label={words.newest} orders={newest} />
    </section>
  );
}
