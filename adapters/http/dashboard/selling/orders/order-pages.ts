import type { Endpoint } from '../../../surface.ts';
import type { DashboardTools } from '../../tools.ts';
import { orderActPages } from './acts.tsx';
import { allOrdersPage } from './all-orders.tsx';
import { orderExport, orderListPage } from './order-list.tsx';
import { orderPage } from './order-page.tsx';
import type { OrderTools } from './order-tools.ts';
import { refundPages } from './refund.tsx';
import { revenuePage } from './revenue.tsx';

/** The pages about orders, for sellers and administrators. If two paths match a request, the first one answers it. */
export function orderPages(tools: DashboardTools, own: OrderTools): Endpoint[] {
  return [
    allOrdersPage(tools, own),
    orderListPage(tools, own),
    orderExport(tools, own),
    revenuePage(tools, own),
    orderPage(tools, own),
    ...refundPages(tools, own),
    ...orderActPages(tools, own),
  ];
}
