import type { ComponentChildren, VNode } from 'preact';
import type { Instant } from '../../../../core/ports/clock.ts';
import type { DayOfRevenue } from '../../../../core/ports/order-store.ts';
import { startOf, steps } from '../../../../core/selling/usage-hours.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { Filter } from '../../ui/filter.tsx';
import { HiddenField, type Options } from '../../ui/form.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { Plot } from '../../ui/plot.tsx';
import { inMainUnit, moneyOf } from '../../ui/prices.ts';
import { shown } from '../kit/answer.ts';
import { FilterInput } from '../kit/listing.tsx';
import { type DashboardTools, orFail, page, type SignedInVisit } from '../kit/page.ts';
import { addressWith, choicesIn, chosen } from '../kit/query.ts';
import { ownProducts, SellingPage, sellerIn, sellingPath } from '../kit/selling.tsx';
import type { OrderTools } from './subject.tsx';
import { words as all, revenueDays } from './words.ts';

const { revenue: words } = all;

/** The page with the payments for the seller's products, by day and currency. */
export function revenuePage(tools: DashboardTools, { list, products }: OrderTools): Endpoint {
  return page(tools, {
    id: 'selling-revenue',
    path: `/${areas.selling.orders}/revenue`,
    audience: 'user',
    async show(visit) {
      const { days: asked, product } = choicesIn(visit, 'days', 'product');
      const range = chosen(asked, revenueDays) ?? '30';
      const days = daysUntil(tools.clock.now(), Number(range));
      const wish = { product: product || undefined, sellerId: visit.me.login.id };
      const [found, offered] = await Promise.all([
        list.revenue(startBefore(days), wish, sellerIn(visit)),
        ownProducts(products, visit, product),
      ]);
      return shown(
        <Revenue visit={visit} range={range} days={days} found={orFail(found)} product={product} products={offered} />,
      );
    },
  });
}

function Revenue({
  visit,
  range,
  days,
  found,
  product,
  products,
}: {
  readonly visit: SignedInVisit;
  readonly range: (typeof revenueDays)[number];
  /** The start of each day, oldest first. */
  readonly days: readonly Instant[];
  readonly found: readonly DayOfRevenue[];
  readonly product: string;
  readonly products: Options | undefined;
}): VNode {
  const { root } = visit.frame;
  const address = `${root}${sellingPath(visit, 'orders/revenue')}`;
  const { shown, before } = splitAt(days, found);
  const currencies = [...new Set(shown.map(({ currency }) => currency))];
  return (
    <SellingPage visit={visit} at="orders" title={words.title} isBelow>
      <div class="part first">
        <p class="lead">{words.lead}</p>
        <ul class="modes" aria-label={words.ranges}>
          {revenueDays.map((one) => (
            <li key={one}>
              <a href={addressWith(address, { days: one, product })} aria-current={one === range ? 'true' : undefined}>
                {words.range[one]}
              </a>
            </li>
          ))}
        </ul>
      </div>
      <Filter isActive={product !== ''} clear={addressWith(address, { days: range })} find={words.show}>
        <HiddenField name="days" value={range} />
        <FilterInput
          name="product"
          value={product}
          field={{ label: words.of, typed: all.productSlug, options: () => products }}
          found={found}
        />
      </Filter>
      {currencies.length === 0 && <p class="blank">{words.none}</p>}
      {currencies.map((currency) => (
        <InCurrency
          key={currency}
          root={root}
          currency={currency}
          days={days}
          found={shown.filter((one) => one.currency === currency)}
          before={before.filter((one) => one.currency === currency)}
        />
      ))}
    </SellingPage>
  );
}

/** What was paid in one currency on some days, and in as many days before. */
interface InCurrencyProps {
  readonly root: string;
  readonly currency: string;
  /** The start of each day, oldest first. */
  readonly days: readonly Instant[];
  readonly found: readonly DayOfRevenue[];
  readonly before: readonly DayOfRevenue[];
}

function InCurrency(props: InCurrencyProps): VNode {
  const { currency, found, before } = props;
  const { orders, paid, refunded } = totalOf(found);
  return (
    <section>
      <dl class="numbers">
        <Figure name={words.paid}>{moneyOf(paid, currency)}</Figure>
        <Figure name={words.refunded}>{moneyOf(refunded, currency)}</Figure>
        <Figure name={words.net}>{moneyOf(paid - refunded, currency)}</Figure>
        <Figure name={words.orders}>{readableNumber(orders)}</Figure>
        <Figure name={words.before}>{moneyOf(totalOf(before).paid, currency)}</Figure>
      </dl>
      <RevenuePlot {...props} />
    </section>
  );
}

/** What was paid and refunded on each day, with the days before behind it. */
export function RevenuePlot({
  root,
  currency,
  days,
  found,
  before,
  isTableFolded = false,
}: InCurrencyProps & { readonly isTableFolded?: boolean }): VNode {
  const pointsOf = (rows: readonly DayOfRevenue[], name: 'paid' | 'refunded', shift = 0) => {
    const on = new Map(rows.map((one) => [startOfDay(one.day) + shift, one[name]]));
    return days.map((at) => ({ at, value: inMainUnit(on.get(at) ?? 0, currency) }));
  };
  return (
    <Plot
      root={root}
      title={words.plot(currency.toUpperCase())}
      unit={words.unit}
      step="day"
      currency={currency}
      isTableFolded={isTableFolded}
      series={[
        { label: words.paid, as: 'bars', points: pointsOf(found, 'paid') },
        { label: words.refunded, as: 'bars', points: pointsOf(found, 'refunded') },
        { label: words.before, as: 'before', points: pointsOf(before, 'paid', days.length * steps.day) },
      ]}
    />
  );
}

/** The start of each of the last days, oldest first. The last one is today. */
export function daysUntil(now: Instant, count: number): readonly Instant[] {
  const today = startOf('day', now);
  return Array.from({ length: count }, (_, n) => today - (count - 1 - n) * steps.day);
}

/** The start of as many days before. */
export function startBefore(days: readonly Instant[]): Instant {
  return (days[0] ?? 0) - days.length * steps.day;
}

/** Parts rows into those of the days, and those before. */
export function splitAt(days: readonly Instant[], rows: readonly DayOfRevenue[]) {
  const isShown = ({ day }: DayOfRevenue) => startOfDay(day) >= (days[0] ?? 0);
  return { shown: rows.filter(isShown), before: rows.filter((one) => !isShown(one)) };
}

function startOfDay(day: string): Instant {
  return Date.parse(`${day}T00:00:00Z`);
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
