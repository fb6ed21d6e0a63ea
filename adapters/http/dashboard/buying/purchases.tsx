import type { VNode } from 'preact';
import { invoiceNumberOf } from '../../../../core/invoices/invoice.ts';
import type { BoughtItem } from '../../../../core/purchases/bought-items.ts';
import { isBundle, licenseOf, type Order } from '../../../../core/purchases/order.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { priceOf } from '../../ui/prices.ts';
import { Day } from '../../ui/time.tsx';
import { list } from '../kit/list.tsx';
import { withAll } from '../kit/listing.tsx';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { type BuyingTools, pathOf, StateTag } from './frame.tsx';
import { licenseEnd } from './order-facts.tsx';
import { domainsOf, ItemDownloads } from './parts.tsx';
import { words } from './words.ts';

const { purchases: names } = words;
const onPage = 25;

/** Something that was bought. `paid` is its order, or that of the bundle which contains it. */
interface Row extends BoughtItem {
  readonly paid: Order;
}

/** The list of what a user bought with their account: each license with its key, domains and downloads, and its order. */
export function purchasesPage(tools: DashboardTools, { purchases, readItems }: BuyingTools): Endpoint[] {
  return list(tools, {
    id: 'purchases',
    place: { area: 'account', at: 'purchases' },
    audience: 'user',
    filters: { q: { label: names.search }, show: { label: names.show, options: withAll(names.shows) } },
    async find({ visit: { me }, after, choices: { q, show } }) {
      const query = { after, limit: onPage, search: q, hasLicense: show === 'licenses' };
      const { orders, next } = orFail(await purchases.list(me.login.id, query));
      const parts = await purchases.partsOf(
        orders.filter((order) => isBundle(order) && (order.paidAt !== null || order.state === 'soft')),
      );
      const bought = orders.flatMap((paid) => {
        const its = parts.filter(({ partOf }) => partOf === paid.id);
        return (its.length > 0 ? its : [paid]).map((order) => ({ paid, order }));
      });
      const items = await readItems(bought.map(({ order }) => order));
      const rows = items.map((item, at): Row => ({ ...item, paid: bought[at]?.paid ?? item.order }));
      return { rows, next };
    },
    show: ({ rows }, { root, visit: { me } }) => ({
      above: (
        <>
          <p class="intro">{names.lead}</p>
          {me.login.emailVerifiedAt === null && (
            <p class="note">
              {names.unverified} <a href={`${root}${areas.account.security}`}>{names.verify}</a>
            </p>
          )}
        </>
      ),
      table: <List label={names.list} columns={columnsOf(root)} rows={rows} />,
      first: (
        <EmptyState heading="h2" icon="purchases" title={names.none}>
          <p>{names.noneLead}</p>
          <p class="actions">
            <ButtonLink href={`${root}marketplace`} text={names.browse} look="primary" />
          </p>
        </EmptyState>
      ),
    }),
    none: { title: names.noneFound, advice: names.noneFoundAdvice, soFar: names.soFar },
    isFirstAlone: true,
    pages: names.list,
    scripts: ['copy.js'],
  });
}

function columnsOf(root: string): readonly Column<Row>[] {
  return [
    {
      title: names.product,
      cell: ({ order, paid }): VNode => (
        <span class="breakable holder">
          <a href={`${root}${pathOf(order)}`} dir="auto">
            {order.agreed.title}
          </a>
          {order.agreed.offer && (
            <span class="under" dir="auto">
              {order.agreed.offer.name}
            </span>
          )}
          {paid !== order && (
            <span class="under">
              {names.partOf} <bdi>{paid.agreed.title}</bdi>
            </span>
          )}
          <span class="under">
            <Day at={paid.createdAt} />
            {/* The whole price on each row of a bundle would look as if it was paid for each. */}
            {paid === order && ` · ${priceOf(paid.payment.total, paid.payment.currency)}`}
          </span>
          {paid.number !== null && (
            <span class="under">
              <a class="breakable" href={`${root}${pathOf(paid)}/invoice`}>
                {names.invoice(invoiceNumberOf(paid) ?? String(paid.number))}
              </a>
            </span>
          )}
        </span>
      ),
    },
    {
      title: names.state,
      isState: true,
      cell: ({ order, license }) => (
        <span class="tags">
          <StateTag order={order} />
          {license && license.status !== 'active' && <span class="tag">{words.statuses[license.status]}</span>}
        </span>
      ),
    },
    { title: names.key, cell: KeyCell },
    {
      title: names.downloads,
      cell: (item) =>
        item.version === undefined && !item.hasTemplate ? (
          '–'
        ) : (
          <span class="choices">
            <ItemDownloads item={item} root={root} />
          </span>
        ),
    },
  ];
}

/** The key with its domains, or that of the license which the order renews or upgrades. */
function KeyCell(item: Row): VNode | string {
  const { order, license } = item;
  const key = licenseOf(order);
  if (key === null) return '–';
  return (
    <>
      <code class="whole">{key}</code>
      <span class="under">{order.renews === null ? domainsOf(item) : names.renews}</span>
      {license !== undefined && (
        <span class="under">
          {words.order.expires}: {licenseEnd(license)}
        </span>
      )}
      {license?.updatesUntil != null && order.agreed.version !== null && (
        <span class="under">
          {words.order.updates} <Day at={license.updatesUntil} />
        </span>
      )}
    </>
  );
}
