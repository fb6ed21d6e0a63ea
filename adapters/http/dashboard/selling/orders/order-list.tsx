import type { VNode } from 'preact';
import type { OrderPage } from '../../../../../core/purchases/buying.ts';
import { sendText } from '../../../send-text.ts';
import type { Endpoint } from '../../../surface.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import type { Options } from '../../../ui/form.tsx';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { orFail } from '../../or-fail.ts';
import { admit, page } from '../../page.ts';
import { addressWith } from '../../query.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { ownProducts } from '../licenses/product-choice.ts';
import { modeIn, SellingPage, sellerIn, sellingPath } from '../selling-page.tsx';
import { OrderFilter, OrderRows } from './list-parts.tsx';
import { type OrderChoices, orderChoices, wishOf } from './order-query.ts';
import { OrderTable } from './order-table.tsx';
import { base, type OrderTools } from './order-tools.ts';

const { sellingOrders: words } = texts;
const perPage = 50;

/** The orders of one's own products, also for administrators. */
export function orderListPage(tools: DashboardTools, { list, products }: OrderTools): Endpoint {
  return page(tools, {
    id: 'selling-orders',
    path: base,
    audience: 'user',
    async show(visit) {
      const choices = orderChoices(visit);
      const { after } = visit.query;
      const query = { ...wishOf(choices), sellerId: visit.me.login.id, after, limit: perPage };
      const [found, offered] = await Promise.all([
        list.list(query, sellerIn(visit)),
        ownProducts(products, visit, choices.product),
      ]);
      return shown(<ListPage visit={visit} choices={choices} found={orFail(found)} products={offered} />);
    },
  });
}

/** The orders of one's own products as a CSV file, by the filters of the list. */
export function orderExport(tools: DashboardTools, { list }: OrderTools): Endpoint {
  return {
    id: 'selling-orders-export',
    method: 'get',
    paths: [`${base}/export`],
    async respond(ctx) {
      const visit = await admit(tools, ctx, 'user');
      if (!visit) return;
      const wish = { ...wishOf(orderChoices(visit)), sellerId: visit.me.login.id };
      await sendText(ctx, list.export(wish, sellerIn(visit)), { mediaType: 'text/csv', filename: 'orders.csv' });
    },
  };
}

function ListPage({
  visit,
  choices,
  found,
  products,
}: {
  readonly visit: SignedInVisit;
  readonly choices: OrderChoices;
  readonly found: OrderPage;
  readonly products: Options | undefined;
}): VNode {
  const { root } = visit.frame;
  const address = `${root}${sellingPath(visit, 'orders')}`;
  const none = (
    <EmptyState heading="h2" title={words.noneTitle}>
      <p>{modeIn(visit) === 'live' ? words.none : words.noneTest}</p>
      <p class="actions">
        <a class="button" href={`${root}${sellingPath(visit, 'products')}`}>
          {words.toProducts}
        </a>
      </p>
    </EmptyState>
  );
  return (
    <SellingPage
      visit={visit}
      at="orders"
      title={words.title}
      actions={
        <div class="choices">
          <a class="button" href={`${address}/revenue`}>
            {words.revenue.name}
          </a>
          <a class="button" href={addressWith(`${address}/export`, choices)} download>
            {words.exportCsv}
          </a>
        </div>
      }
    >
      <OrderFilter address={address} choices={choices} products={products} />
      <OrderRows
        address={address}
        choices={choices}
        isFirst={visit.query.after === undefined}
        found={found}
        none={none}
      >
        <OrderTable root={root} label={words.list} orders={found.orders} />
      </OrderRows>
    </SellingPage>
  );
}
