import { z } from 'zod';
import { orderStates } from '../../../../core/purchases/order.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { pageOf, pageQuery } from '../../cursor.ts';
import { accountRoute, type Route } from '../../route.ts';
import { choice, instant, searched } from '../licenses/fields.ts';
import { faultIn, sellerOf } from '../seller.ts';
import { oneOrder, orderItem, renderOrder } from './order.ts';
import { answerWithOrder, type OrderTools, params } from './order-tools.ts';
import { tag } from './tag.ts';

export function listOrders({ tools, list }: OrderTools): Route {
  return accountRoute(tools, {
    id: 'list-orders',
    tag,
    summary: 'Lists and searches the orders of your products, newest first; for administrators, all orders',
    description:
      'A live key sees live orders, a test key test orders. A new order or a change may be missing for some seconds.',
    method: 'get',
    paths: ['/api/orders'],
    scope: 'orders:read',
    query: z.object({
      status: z.enum(orderStates, choice(orderStates)).optional().meta({ example: 'paid' }),
      product: searched.optional().meta({ description: 'Id or slug of a product.', example: 'simple-dex' }),
      search: searched.optional().meta({
        description: "The start of the buyer's address, of the license key or of the title, or the id of the order.",
        example: 'grace@example.com',
      }),
      from: instant
        .optional()
        .meta({ description: 'Only orders that were made at this time or later.', example: '2026-01-01T00:00:00Z' }),
      to: instant.optional().meta({ description: 'Only orders that were made before this time.' }),
      ...pageQuery,
    }),
    answer: pageOf(orderItem),
    refusals: [],
    async handle({ caller, query: { status, product, search, from, to, cursor: after, limit } }) {
      const query = { states: status && [status], product, search: search || undefined, from, to, after, limit };
      const page = await list.list(query, sellerOf(caller));
      if (!isRefused(page))
        return { success: true as const, data: page.orders.map(renderOrder), next_cursor: page.next };
      if (page.reason === 'unknown_place') throw faultIn('cursor', page);
      throw new Error('A caller with a working key may see its own orders.');
    },
  });
}

export function getOrder({ tools, list }: OrderTools): Route {
  return accountRoute(tools, {
    id: 'get-order',
    tag,
    summary: 'Returns an order',
    method: 'get',
    paths: ['/api/orders/:id'],
    scope: 'orders:read',
    params,
    answer: oneOrder,
    refusals: ['not_found'],
    handle: async ({ caller, params }) => answerWithOrder(await list.find(params.id, sellerOf(caller))),
  });
}
