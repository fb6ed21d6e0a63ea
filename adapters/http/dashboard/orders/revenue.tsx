import type { VNode } from 'preact';
import type { Recurring } from '../../../../core/ports/order-store.ts';
import type { SubscriptionState } from '../../../../core/purchases/subscription.ts';
import { day } from '../../../../core/time.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { ChoiceLinks } from '../../ui/choice-links.tsx';
import { Filter } from '../../ui/filter.tsx';
import { HiddenField, type Options } from '../../ui/form.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { moneyOf } from '../../ui/prices.ts';
import { shown } from '../kit/answer.ts';
import { FilterInput } from '../kit/listing.tsx';
import { Figure, type InCurrencyProps, moneyWords, type Paid, paidIn, RevenuePlot, totalOf } from '../kit/money.tsx';
import { type DashboardTools, orFail, page, type SignedInVisit } from '../kit/page.ts';
import { addressWith, choicesIn, chosen } from '../kit/query.ts';
import { ownProducts, SellingPage, sellerIn, sellingPath } from '../kit/selling.tsx';
import type { OrderTools } from './subject.tsx';
import { subscriptionWords } from './subscription-words.ts';
import { words as all, revenueDays } from './words.ts';

const { revenue: words } = all;
/** Subscriptions that have ended in so many days count as lost. */
const churnDays = 30;

/** The page with the payments for the seller's products, by day and currency. */
export function revenuePage(tools: DashboardTools, { list, products }: OrderTools): Endpoint {
  return page(tools, {
    id: 'selling-revenue',
    path: `/${areas.selling.orders}/revenue`,
    audience: 'user',
    async show(visit) {
      const { days: asked, product } = choicesIn(visit, 'days', 'product');
      const range = chosen(asked, revenueDays) ?? '30';
      const wish = { product: product || undefined, sellerId: visit.me.login.id };
      const now = tools.clock.now();
      const [paid, recurring, offered] = await Promise.all([
        paidIn(list, { ...wish, now, days: Number(range) }, sellerIn(visit)),
        list.recurring(now - churnDays * day, wish, sellerIn(visit)),
        ownProducts(products, visit, product),
      ]);
      return shown(
        <Revenue
          visit={visit}
          range={range}
          paid={paid}
          recurring={orFail(recurring)}
          product={product}
          products={offered}
        />,
      );
    },
  });
}

function Revenue({
  visit,
  range,
  paid: { days, shown, before },
  recurring,
  product,
  products,
}: {
  readonly visit: SignedInVisit;
  readonly range: (typeof revenueDays)[number];
  readonly paid: Paid;
  readonly recurring: readonly Recurring[];
  readonly product: string;
  readonly products: Options | undefined;
}): VNode {
  const { root } = visit.frame;
  const address = `${root}${sellingPath(visit, 'orders/revenue')}`;
  const currencies = [...new Set(shown.map(({ currency }) => currency))];
  return (
    <SellingPage visit={visit} at="orders" title={words.title} isBelow>
      <div class="part first">
        <p class="lead">{words.lead}</p>
        <ChoiceLinks
          label={words.ranges}
          names={words.range}
          values={revenueDays}
          chosen={range}
          hrefOf={(one) => addressWith(address, { days: one, product })}
        />
      </div>
      <Filter isActive={product !== ''} clear={addressWith(address, { days: range })} find={words.show}>
        <HiddenField name="days" value={range} />
        <FilterInput
          name="product"
          value={product}
          field={{ label: words.of, typed: all.productSlug, options: () => products }}
          found={shown}
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
      {recurring.length > 0 && (
        <Subscriptions
          recurring={recurring}
          product={product}
          address={`${root}${sellingPath(visit, 'orders/subscriptions')}`}
        />
      )}
    </SellingPage>
  );
}

function InCurrency(props: InCurrencyProps): VNode {
  const { currency, found, before } = props;
  const { orders, paid, refunded } = totalOf(found);
  return (
    <section>
      <dl class="numbers">
        <Figure name={moneyWords.paid}>{moneyOf(paid, currency)}</Figure>
        <Figure name={moneyWords.refunded}>{moneyOf(refunded, currency)}</Figure>
        <Figure name={words.net}>{moneyOf(paid - refunded, currency)}</Figure>
        <Figure name={words.orders}>{readableNumber(orders)}</Figure>
        <Figure name={moneyWords.before}>{moneyOf(totalOf(before).paid, currency)}</Figure>
      </dl>
      <RevenuePlot {...props} />
    </section>
  );
}

/** The monthly revenue from subscriptions, and how many run, are late, are cancelled or have ended. */
function Subscriptions({
  recurring,
  product,
  address,
}: {
  readonly recurring: readonly Recurring[];
  readonly product: string;
  /** The address of the list, to which the numbers lead. */
  readonly address: string;
}): VNode {
  const { figures } = subscriptionWords;
  const listed = (state: SubscriptionState, count: number) => (
    <a href={addressWith(address, { state, product })}>{readableNumber(count)}</a>
  );
  return (
    <section id="subscriptions">
      <PartHead title={figures.title} lead={figures.lead} />
      {recurring.map(({ currency, monthly, running, pastDue, cancelled, churned }) => (
        <dl key={currency} class="numbers">
          <Figure name={figures.monthly}>{moneyOf(monthly, currency)}</Figure>
          <Figure name={figures.running}>{listed('running', running)}</Figure>
          <Figure name={figures.pastDue}>{listed('past_due', pastDue)}</Figure>
          <Figure name={figures.cancelled}>{listed('cancelled', cancelled)}</Figure>
          <Figure name={figures.churned}>{readableNumber(churned)}</Figure>
        </dl>
      ))}
    </section>
  );
}
