import type { VNode } from 'preact';
import { keyModes } from '../../../../../core/accounts/api-key.ts';
import type { OrderPage } from '../../../../../core/purchases/buying.ts';
import type { Order } from '../../../../../core/purchases/order.ts';
import type { Endpoint } from '../../../surface.ts';
import { AreaPage, areas } from '../../../ui/area-page.tsx';
import { FilterMode } from '../../../ui/filter.tsx';
import type { Column } from '../../../ui/list.tsx';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { NoRows } from '../../filtered-list.tsx';
import { orFail } from '../../or-fail.ts';
import { actorOf, page } from '../../page.ts';
import { choicesIn, chosen, isAny } from '../../query.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { type Owners, ownerLink, ownersOf } from '../licenses/owner-link.tsx';
import { OrderFilter, OrderRows } from './list-parts.tsx';
import { type OrderChoices, orderChoices, wishOf } from './order-query.ts';
import { OrderTable } from './order-table.tsx';
import type { OrderTools } from './order-tools.ts';

const { sellingOrders: words } = texts;
const perPage = 50;

type Choices = OrderChoices & { readonly mode: string };

/** The orders of all sellers, for administrators. Those of both modes that wait for a decision come first. */
export function allOrdersPage(tools: DashboardTools, { list, accounts }: OrderTools): Endpoint {
  return page(tools, {
    id: 'admin-orders',
    path: `/${areas.admin.orders}`,
    audience: 'purchases:manage',
    async show(visit) {
      const choices = { ...orderChoices(visit), ...choicesIn(visit, 'mode') };
      const { after } = visit.query;
      const actor = actorOf(visit);
      const mode = chosen(choices.mode, keyModes) ?? 'live';
      const isPlain = !isAny(choices) && after === undefined;
      const [found, held] = await Promise.all([
        list.list({ ...wishOf(choices), after, limit: perPage }, { actor, mode }),
        isPlain ? list.held(actor) : [],
      ]);
      const page = orFail(found);
      const owners = await ownersOf(
        accounts,
        [...page.orders, ...held].map(({ sellerId }) => sellerId),
      );
      return shown(<AllOrders visit={visit} choices={choices} found={page} held={held} owners={owners} />);
    },
  });
}

function AllOrders({
  visit: { frame, query },
  choices,
  found,
  held,
  owners,
}: {
  readonly visit: SignedInVisit;
  readonly choices: Choices;
  readonly found: OrderPage;
  readonly held: readonly Order[];
  readonly owners: Owners;
}): VNode {
  const address = `${frame.root}${areas.admin.orders}`;
  const { modes } = texts.areas;
  const seller: Column<Order> = {
    title: words.columns.seller,
    cell: ({ sellerId }) => ownerLink(frame.root, sellerId, owners),
  };
  const mode: Column<Order> = {
    title: words.columns.mode,
    cell: ({ isLive }) => modes[isLive ? 'live' : 'test'],
  };
  return (
    <AreaPage frame={frame} place={{ area: 'admin', at: 'orders' }} title={words.title}>
      {held.length > 0 && (
        <section>
          <div class="part first">
            <div>
              <h2>{words.admin.heldTitle}</h2>
              <p class="lead">{words.admin.heldLead}</p>
            </div>
          </div>
          <OrderTable root={frame.root} label={words.admin.heldTitle} orders={held} more={[seller, mode]} />
          <div class="part">
            <h2>{words.admin.allTitle}</h2>
          </div>
        </section>
      )}
      <OrderFilter address={address} choices={choices}>
        <FilterMode value={choices.mode} />
      </OrderFilter>
      <OrderRows
        address={address}
        choices={choices}
        isFirst={query.after === undefined}
        found={found}
        none={<NoRows title={words.noneAtAll} advice={words.noneAtAllAdvice} href={address} />}
      >
        <OrderTable root={frame.root} label={words.list} orders={found.orders} more={[seller]} />
      </OrderRows>
    </AreaPage>
  );
}
