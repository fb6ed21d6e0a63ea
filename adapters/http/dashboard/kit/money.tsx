import type { ComponentChildren, VNode } from 'preact';
import { startOfDay } from '../../../../core/day-text.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import type { DayOfRevenue } from '../../../../core/ports/order-store.ts';
import type { OrderList, OrderWish } from '../../../../core/selling/order-list.ts';
import type { Seller } from '../../../../core/selling/seller.ts';
import { daysFrom, startOf, steps } from '../../../../core/selling/usage-hours.ts';
import { readableNumber } from '../../ui/numbers.ts';
import { Plot } from '../../ui/plot.tsx';
import { inMainUnit, moneyOf } from '../../ui/prices.ts';
import { orFail } from './page.ts';

export const moneyWords = {
  paid: 'Paid',
  refunded: 'Refunded',
  before: 'Paid in the time before',
  plot: (currency: string) => `Revenue in ${currency}`,
  unit: 'by day',
  lastDays: (days: number) => `Revenue in ${days} days`,
  paidOrders: (days: number) => `Orders paid in ${days} days`,
  beforeThat: (money: string) => `${money} in the time before`,
};

/** The payments of the last days, and of as many days before them. */
export interface Paid {
  /** The start of each day, oldest first. */
  readonly days: readonly Instant[];
  readonly shown: readonly DayOfRevenue[];
  readonly before: readonly DayOfRevenue[];
}

/** Reads the payments of the last `days`, and of as many days before them. */
export async function paidIn(
  orders: Pick<OrderList, 'revenue'>,
  { now, days: count, ...wish }: Pick<OrderWish, 'product' | 'sellerId'> & { now: Instant; days: number },
  seller: Seller,
): Promise<Paid> {
  const days = daysUntil(now, count);
  return { days, ...splitAt(days, orFail(await orders.revenue(startBefore(days), wish, seller))) };
}

/** The payments in one currency on some days, and on as many days before them. */
export interface InCurrencyProps {
  readonly root: string;
  readonly currency: string;
  /** The start of each day, oldest first. */
  readonly days: readonly Instant[];
  readonly found: readonly DayOfRevenue[];
  readonly before: readonly DayOfRevenue[];
}

/** A plot of payments and refunds by day. The days before are drawn behind them. */
export function RevenuePlot({
  root,
  currency,
  days,
  found,
  before,
  isTableFolded = false,
}: InCurrencyProps & { readonly isTableFolded?: boolean }): VNode {
  const pointsOf = (rows: readonly DayOfRevenue[], name: 'paid' | 'refunded', shift = 0) => {
    const on = new Map(rows.map((one) => [startOn(one) + shift, one[name]]));
    return days.map((at) => ({ at, value: inMainUnit(on.get(at) ?? 0, currency) }));
  };
  return (
    <Plot
      root={root}
      title={moneyWords.plot(currency.toUpperCase())}
      unit={moneyWords.unit}
      step="day"
      currency={currency}
      isTableFolded={isTableFolded}
      series={[
        { label: moneyWords.paid, as: 'bars', points: pointsOf(found, 'paid') },
        { label: moneyWords.refunded, as: 'bars', points: pointsOf(found, 'refunded') },
        { label: moneyWords.before, as: 'behind', points: pointsOf(before, 'paid', days.length * steps.day) },
      ]}
    />
  );
}

/** The start of each of the last days, oldest first. The last one is today. */
function daysUntil(now: Instant, count: number): readonly Instant[] {
  const today = startOf('day', now);
  return daysFrom(today - (count - 1) * steps.day, count);
}

/** The start of as many days before. */
function startBefore(days: readonly Instant[]): Instant {
  return (days[0] ?? 0) - days.length * steps.day;
}

const startOn = ({ day }: DayOfRevenue) => startOfDay(day) ?? 0;

/** Parts rows into those of the days, and those before. */
function splitAt(days: readonly Instant[], rows: readonly DayOfRevenue[]) {
  const isShown = (one: DayOfRevenue) => startOn(one) >= (days[0] ?? 0);
  return { shown: rows.filter(isShown), before: rows.filter((one) => !isShown(one)) };
}

/** The sums of days in one currency. */
export function totalOf(found: readonly DayOfRevenue[]): Pick<DayOfRevenue, 'orders' | 'paid' | 'refunded'> {
  const sum = (name: 'orders' | 'paid' | 'refunded') => found.reduce((total, one) => total + one[name], 0);
  return { orders: sum('orders'), paid: sum('paid'), refunded: sum('refunded') };
}

/** A number with its name, in a list of numbers. */
export function Figure({
  name,
  below,
  children,
}: {
  readonly name: string;
  /** A line that explains the number. */
  readonly below?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {below && <dd class="below-number">{below}</dd>}
    </div>
  );
}

/**
 * The revenue of the last days, compared with the days before, in the currency with most orders. Each number is a link to its
 * list.
 */
export function Money({
  root,
  paid: { days, shown, before },
  currency: fallback,
  links,
  hasPlot = false,
}: {
  readonly root: string;
  readonly paid: Paid;
  /** The currency if nothing was paid. */
  readonly currency: string;
  /** The addresses of the revenue, and of the orders that were paid. */
  readonly links: { readonly revenue: string; readonly orders: string };
  readonly hasPlot?: boolean;
}): VNode {
  const currency = mainCurrency(shown) ?? mainCurrency(before) ?? fallback;
  const inIt = (rows: readonly DayOfRevenue[]) => rows.filter((one) => one.currency === currency);
  const [now, then] = [totalOf(inIt(shown)), totalOf(inIt(before))];
  const [net, netBefore] = [now.paid - now.refunded, then.paid - then.refunded];
  return (
    <section>
      <dl class="numbers">
        <Figure
          name={moneyWords.lastDays(days.length)}
          below={<Change now={net} before={netBefore} currency={currency} />}
        >
          <a class="numbers-link" href={links.revenue}>
            {moneyOf(net, currency)}
          </a>
        </Figure>
        <Figure name={moneyWords.refunded} below={moneyWords.beforeThat(moneyOf(then.refunded, currency))}>
          <a class="numbers-link" href={links.revenue}>
            {moneyOf(now.refunded, currency)}
          </a>
        </Figure>
        <Figure name={moneyWords.paidOrders(days.length)} below={moneyWords.beforeThat(readableNumber(then.orders))}>
          <a class="numbers-link" href={links.orders}>
            {readableNumber(now.orders)}
          </a>
        </Figure>
      </dl>
      {hasPlot && now.paid + then.paid > 0 && (
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
      {moneyWords.beforeThat(moneyOf(before, currency))}
    </>
  );
}
