import { z } from 'zod';
import { orderStates } from '../../../../core/purchases/order.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { accountRoute, type Route } from '../../route.ts';
import { choice, instant, searched } from '../licenses/fields.ts';
import { sellerOf } from '../seller.ts';
import { orderActRoutes } from './acts.ts';
import { answerWithOrder, type OrderTools, oneOrder, orderItem, params, reading, renderOrder } from './order.ts';

/** In the order of the API reference. */
export function orderRoutes(own: OrderTools): Route[] {
  const { tools, list, baseUrl } = own;
  return [
    accountRoute(tools, {
      id: 'list-orders',
      ...reading,
      summary: 'Lists and searches the orders of your products, newest first; for administrators, all orders',
      description:
        'A live key sees live orders, a test key test orders. A new order or a change may be missing for some seconds.',
      method: 'get',
      paths: ['/api/orders'],
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
        if (isRefused(page)) return page;
        const parts = await list.partsOf(page.orders);
        return pageAnswer(
          page.orders.map((order) => renderOrder(order, parts, baseUrl)),
          page.next,
        );
      },
    }),
    accountRoute(tools, {
      id: 'get-order',
      ...reading,
      summary: 'Returns an order',
      method: 'get',
      paths: ['/api/orders/:id'],
      params,
      answer: oneOrder,
      refusals: ['not_found'],
      handle: async ({ caller, params }) => await answerWithOrder(own, await list.find(params.id, sellerOf(caller))),
    }),
    ...orderActRoutes(own),
  ];
}
