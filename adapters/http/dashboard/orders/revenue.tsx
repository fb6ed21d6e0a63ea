import type { VNode } from 'preact';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { Filter } from '../../ui/filter.tsx';
import { HiddenField, type Options } from '../../ui/form.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { moneyOf } from '../../ui/prices.ts';
import { shown } from '../kit/answer.ts';
import { FilterInput } from '../kit/listing.tsx';
import { Figure, type InCurrencyProps, moneyWords, type Paid, paidIn, RevenuePlot, totalOf } from '../kit/money.tsx';
import { type DashboardTools, page, type SignedInVisit } from '../kit/page.ts';
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
      const wish = { product: product || undefined, sellerId: visit.me.login.id };
      const [paid, offered] = await Promise.all([
        paidIn(list, { ...wish, now: tools.clock.now(), days: Number(range) }, sellerIn(visit)),
        ownProducts(products, visit, product),
      ]);
      return shown(<Revenue visit={visit} range={range} paid={paid} product={product} products={offered} />);
    },
  });
}

function Revenue({
  visit,
  range,
  paid: { days, shown, before },
  product,
  products,
}: {
  readonly visit: SignedInVisit;
  readonly range: (typeof revenueDays)[number];
  readonly paid: Paid;
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
