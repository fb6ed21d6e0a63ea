import type { Clock } from '../ports/clock.ts';
import type { OrderStore } from '../ports/order-store.ts';
import { day } from '../time.ts';
import type { Order } from './order.ts';
import type { PaymentStatus } from './payment.ts';

/** How long an order is kept after it ended without a payment, in milliseconds. */
export const unpaidKeptFor = 30 * day;

/** Whether a payment with this status has ended without money. */
const hasEndedUnpaid = {
  open: false,
  processing: false,
  soft: false,
  paid: false,
  failed: true,
  expired: true,
  cancelled: true,
} as const satisfies Record<PaymentStatus, boolean>;

/** Whether nothing was ever paid, refunded, disputed, numbered or delivered for an order, and nothing can be any more. */
export function wasNeverPaid({ payment, paidAt, licenseKey, number }: Order): boolean {
  const { status, refunded, refundsPending, dispute } = payment;
  const hasMoved = refunded > 0 || refundsPending > 0 || dispute !== null;
  return hasEndedUnpaid[status] && !hasMoved && paidAt === null && licenseKey === null && number === null;
}

/** Deletes the orders that ended long enough ago without a payment. Returns their number. Anybody can make such orders. */
export async function forgetUnpaidOrders(store: Pick<OrderStore, 'forget'>, clock: Clock): Promise<number> {
  const before = clock.now() - unpaidKeptFor;
  return await store.forget(before, (order) => order.updatedAt < before && wasNeverPaid(order));
}
