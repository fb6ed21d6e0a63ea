import { baseCurrency } from '../currency.ts';
import type { Period } from '../licensing/periods.ts';
import type { Order } from './order.ts';

/** What was paid for the license with an order, and what was taken off its price, without refunds. */
export function worthOf({
  agreed: { price, currency, offer },
  payment,
}: Pick<Order, 'agreed' | 'payment'>): Pick<Period, 'worth' | 'currency'> {
  const isSameCurrency = payment.currency === currency;
  // An administrator can have accepted less.
  const paid = isSameCurrency ? Math.min(price, payment.subtotal) : price;
  // Of what was accepted in another currency, only the part that was refunded counts: it is never converted.
  const refunded =
    isSameCurrency || payment.total === 0 ? payment.refunded : Math.ceil((price * payment.refunded) / payment.total);
  const worth = Math.max(0, paid + (offer?.credit ?? 0) - refunded);
  return { worth, ...(currency !== baseCurrency && { currency }) };
}
