import type { ComponentChildren, VNode } from 'preact';
import type { Order } from '../../../../../core/purchases/order.ts';
import { AreaPage, areas } from '../../../ui/area-page.tsx';
import type { Asset } from '../../../ui/assets.ts';
import { texts } from '../../../ui/texts.ts';
import type { SignedInVisit } from '../../visit.ts';
import { orderPath } from '../order-link.tsx';
import { SellingPage, sellingPath } from '../selling-page.tsx';

const { sellingOrders: words } = texts;

/**
 * A page about an order. `title` is that of a page below the order's own. Administrators see the orders of others as part
 * of the administration.
 */
export function OrderFrame({
  visit,
  of,
  title,
  ...more
}: {
  readonly visit: SignedInVisit;
  readonly of: Order;
  readonly title?: string;
  readonly scripts?: readonly Asset[];
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  const { frame, me } = visit;
  const name = words.nameOf(of.id);
  const isOwn = of.sellerId === me.login.id;
  const list = isOwn ? sellingPath(visit, 'orders') : areas.admin.orders;
  const above = [{ href: `${frame.root}${list}`, title: words.title }];
  const page = {
    ...more,
    title: title ?? name,
    above: title === undefined ? above : [...above, { href: `${frame.root}${orderPath(of)}`, title: name }],
  };
  return isOwn ? (
    <SellingPage visit={visit} at="orders" {...page} />
  ) : (
    <AreaPage frame={frame} place={{ area: 'admin', at: 'orders' }} {...page} />
  );
}
