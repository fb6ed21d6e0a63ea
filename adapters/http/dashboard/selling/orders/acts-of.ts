import { type Actor, may } from '../../../../../core/accounts/role.ts';
import type { Order } from '../../../../../core/purchases/order.ts';
import { refundable } from '../../../../../core/purchases/payment.ts';

/** The actions on the pages of an order, in the order of their buttons. */
export const orderActs = ['accept', 'paid', 'refund', 'cancel'] as const;
export type OrderAct = (typeof orderActs)[number];

/** Whether to offer an act now. The use cases check it again. */
export function isPossible(act: OrderAct, { provider, state, payment }: Order, actor: Actor): boolean {
  const isManualUnpaid = provider === 'manual' && payment.status !== 'paid';
  switch (act) {
    case 'accept':
      return state === 'held' && may(actor, 'purchases:manage');
    case 'paid':
      return isManualUnpaid;
    case 'cancel':
      return isManualUnpaid && payment.status !== 'cancelled';
    case 'refund':
      return refundable(payment) > 0;
  }
}
