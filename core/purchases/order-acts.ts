import type { Order } from './order.ts';
import { refundable } from './payment.ts';

/** What a seller or an administrator does about the payment of an order, in the order of its buttons. */
export const orderActs = ['accept', 'pay', 'return', 'refund', 'cancel'] as const;
export type OrderAct = (typeof orderActs)[number];

/** The acts that need nothing but the order. */
export const plainOrderActs = ['pay', 'cancel', 'accept'] as const satisfies readonly OrderAct[];
export type PlainOrderAct = (typeof plainOrderActs)[number];

/** Whether to offer an act on an order now, whoever carries it out. The act decides again: see `recorded`, and `createSendBack`. */
export const orderAllows = {
  accept: ({ state }) => state === 'held',
  pay: isUnpaidByHand,
  return: ({ provider, payment }) =>
    provider === 'usdc' && payment.status !== 'processing' && payment.status !== 'soft',
  refund: ({ payment }) => refundable(payment) > 0,
  cancel: (order) => isUnpaidByHand(order) && order.payment.status !== 'cancelled',
} as const satisfies Record<OrderAct, (order: Order) => boolean>;

function isUnpaidByHand({ provider, payment }: Order): boolean {
  return provider === 'manual' && payment.status !== 'paid';
}
