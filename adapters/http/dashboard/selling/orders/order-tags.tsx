import type { VNode } from 'preact';
import type { Order, OrderState } from '../../../../../core/purchases/order.ts';
import { moneyOf } from '../../../ui/prices.ts';
import { texts } from '../../../ui/texts.ts';

const { sellingOrders: words } = texts;

const looks = {
  open: 'tag',
  processing: 'tag busy',
  failed: 'tag',
  expired: 'tag',
  cancelled: 'tag',
  held: 'tag bad',
  paid: 'tag good',
  partly_refunded: 'tag good',
  refunding: 'tag busy',
  refunded: 'tag',
  disputed: 'tag bad',
  charged_back: 'tag bad',
} as const satisfies Record<OrderState, string>;

export function StateTag({ order: { state } }: { readonly order: Pick<Order, 'state'> }): VNode {
  return <span class={looks[state]}>{words.states[state]}</span>;
}

/** What the buyer pays, and below it what was refunded. */
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
