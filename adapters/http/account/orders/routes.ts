import type { Route } from '../../route.ts';
import { cancelOrder, payOrder, refundOrder } from './acts.ts';
import { getOrder, listOrders } from './list.ts';
import type { OrderTools } from './order-tools.ts';

/** In the order of the API reference. */
const routes = [listOrders, getOrder, refundOrder, payOrder, cancelOrder];

export function orderRoutes(tools: OrderTools): Route[] {
  return routes.map((route) => route(tools));
}
