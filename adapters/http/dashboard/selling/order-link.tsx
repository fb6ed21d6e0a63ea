import type { VNode } from 'preact';
import type { Order, OrderState } from '../../../../core/purchases/order.ts';
import { areas } from '../../ui/area-page.tsx';
import { texts } from '../../ui/texts.ts';

/** The path of an order from the site's first page. Everybody who reaches it sees it there. */
export function orderPath({ id, isLive }: Pick<Order, 'id' | 'isLive'>): string {
  return `${areas.selling.orders.replace(':mode', isLive ? 'live' : 'test')}/${id}`;
}

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

export function OrderTag({ order: { state } }: { readonly order: Pick<Order, 'state'> }): VNode {
  return <span class={looks[state]}>{texts.sellingOrders.states[state]}</span>;
}
