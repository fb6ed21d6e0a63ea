import { z } from 'zod';
import { accountRoute, type Route } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { oneOrder } from './order.ts';
import { answerWithOrder, type OrderTools, params, reason } from './order-tools.ts';
import { tag } from './tag.ts';

const scope = 'orders:write';
const wholeAmount = 'It must be a whole number of at least 1.';

export function refundOrder({ tools, orders }: OrderTools): Route {
  return accountRoute(tools, {
    id: 'refund-order',
    tag,
    summary: 'Refunds an order, in full or in part',
    description:
      'The provider pays the money back. For an order that is paid by hand, it only records that you did. After a full refund, the license is revoked, unless the product keeps it. A refund can be on its way for days: read the order, or wait for the webhook `order.refunded`.',
    method: 'post',
    paths: ['/api/orders/:id/refund'],
    scope,
    isIdempotent: true,
    params,
    body: z.strictObject({
      amount: z.int(wholeAmount).min(1, wholeAmount).optional().meta({
        description: 'In the smallest unit of the currency, such as cents. All that is left without it.',
        example: 1000,
      }),
      reason,
    }),
    answer: oneOrder,
    refusals: ['not_found', 'conflict'],
    handle: async ({ caller, params, body: { amount, reason } }) =>
      answerWithOrder(await orders.refund(params.id, amount, sellerOf(caller, reason))),
  });
}

/** The acts on orders that are paid by hand. */
const record = (
  kind: 'pay' | 'cancel',
  { tools, orders }: OrderTools,
  more: Pick<Route, 'id' | 'summary' | 'description' | 'paths'>,
): Route =>
  accountRoute(tools, {
    ...more,
    tag,
    method: 'post',
    scope,
    isIdempotent: true,
    params,
    body: z.strictObject({ reason }),
    answer: oneOrder,
    refusals: ['not_found', 'conflict'],
    handle: async ({ caller, params, body: { reason } }) =>
      answerWithOrder(await orders.record(params.id, { kind }, sellerOf(caller, reason))),
  });

export function payOrder(tools: OrderTools): Route {
  return record('pay', tools, {
    id: 'pay-order',
    summary: 'Records that the money of an order came in',
    description:
      'For orders that are paid by hand (`provider` is `manual`). The license is issued, and the buyer gets it by mail. Works for an expired or cancelled order too, if the money comes late.',
    paths: ['/api/orders/:id/paid'],
  });
}

export function cancelOrder(tools: OrderTools): Route {
  return record('cancel', tools, {
    id: 'cancel-order',
    summary: 'Cancels an order that was not paid',
    description: 'For orders that are paid by hand (`provider` is `manual`).',
    paths: ['/api/orders/:id/cancel'],
  });
}
