import { z } from 'zod';
import { longestReason } from '../../../../core/licensing/transitions.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { isRefused, type Refused, refuse } from '../../../../core/refusal.ts';
import type { OrderList } from '../../../../core/selling/order-list.ts';
import type { Orders } from '../../../../core/selling/orders.ts';
import type { FailureReason } from '../../failures.ts';
import { optionalText, text } from '../../fields.ts';
import type { AccountTools } from '../../route.ts';
import { type oneOrder, renderOrder } from './order.ts';

/** The dependencies of the routes of orders. */
export interface OrderTools {
  readonly tools: AccountTools;
  readonly orders: Orders;
  readonly list: OrderList;
}

export const params = z.object({
  id: text(200).meta({ description: 'The id of the order.', example: '1042' }),
});

export const reason = optionalText(longestReason).meta({
  description: 'Why you do it. It is kept in the history of the order.',
  example: 'The buyer bought it twice.',
});

/** How each refusal is sent. */
const reasons = {
  order_not_found: 'not_found',
  payment_act_not_allowed: 'conflict',
  refund_not_possible: 'conflict',
  order_changed: 'conflict',
} as const satisfies Record<string, FailureReason>;
type Reasons = typeof reasons;

/** Returns the response body with the order, or the refusal. */
export function answerWithOrder<Reason extends keyof Reasons>(
  order: Order | Refused<Reason>,
): z.output<typeof oneOrder> | Refused<Reasons[Reason]> {
  if (isRefused(order)) return refuse(reasons[order.reason], order.detail);
  return { success: true, order: renderOrder(order) };
}
