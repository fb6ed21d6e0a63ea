import type { VNode } from 'preact';
import type { Order } from '../../../../../core/purchases/order.ts';
import { moneyOf } from '../../../ui/prices.ts';
import { texts } from '../../../ui/texts.ts';

const { sellingOrders: words } = texts;

/** The total that the buyer pays, and below it the refunded amount. */
export function Amount({ order: { payment } }: { readonly order: Pick<Order, 'payment'> }): VNode {
  const { total, refunded, currency } = payment;
  if (total === 0) return <>{words.free}</>;
  return (
    <>
      {moneyOf(total, currency)}
      {refunded > 0 && <small class="under">{words.refunded(moneyOf(refunded, currency))}</small>}
    </>
  );
}
