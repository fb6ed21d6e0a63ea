import { byOf } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import type { OrderStore } from '../ports/order-store.ts';
import type { UsdcStore } from '../ports/usdc-store.ts';
import type { Order } from '../purchases/order.ts';
import type { OrderPorts } from '../purchases/settle.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { TellUsdcOrder } from '../usdc/telling.ts';
import { hashIn } from '../usdc/transaction-of.ts';
import { type OrderList, unknownOrder } from './order-list.ts';
import type { Seller } from './seller.ts';

/**
 * Takes back that a transaction was entered as sent back, by mistake. Only as long as it is on its way: when it is final, it has refunded the
 * order, with a credit note, and the license may have ended. What else is on its way then counts as if this one had never come.
 */
export type UndoSendBack = (
  id: string,
  typed: { readonly transaction: string },
  seller: Seller,
) => Promise<Order | Refused<'order_not_found' | 'transaction_invalid' | 'transaction_final' | 'transaction_needed'>>;

export function createUndoSendBack({
  list,
  orders,
  store,
  tell,
  clock,
}: {
  readonly list: Pick<OrderList, 'find'>;
  readonly orders: Pick<OrderStore, 'find'>;
  readonly store: Pick<UsdcStore, 'undoSentBack'>;
  readonly tell: TellUsdcOrder;
  readonly clock: OrderPorts['clock'];
}): UndoSendBack {
  return async (id, { transaction }, seller) => {
    const order = await list.find(id, seller);
    if (isRefused(order)) return order;
    const hash = hashIn(transaction);
    const told = event('order.return_undone', String(order.id), byOf(seller.actor), clock.now(), {
      transaction: hash ?? null,
    });
    const undone = hash === undefined ? undefined : await store.undoSentBack(order.id, hash, told);
    if (undone === undefined) {
      return refuse('transaction_invalid', 'No such transaction was entered as sent back for this order.');
    }
    if (undone === 'final') {
      return refuse('transaction_final', 'The chain has made it final, so it counts for good.');
    }
    if (undone === 'needed') {
      return refuse(
        'transaction_needed',
        'Another transaction of this order is final, and has refunded the price because this one has sent back what was too much. So this one stays.',
      );
    }
    await tell(order.id);
    return (await orders.find(order.id)) ?? unknownOrder(id);
  };
}
