import type { VNode } from 'preact';
import type { Order } from '../../../../core/purchases/order.ts';
import { texts } from '../../ui/texts.ts';

/** The name of the state of an order. */
export function stateName({ state, provider }: Pick<Order, 'state' | 'provider'>): string {
  return provider === 'free' && state === 'paid' ? texts.buying.freeName : texts.buying.states[state].name;
}

export function StateTag({ order }: { readonly order: Pick<Order, 'state' | 'provider'> }): VNode {
  const { tone } = texts.buying.states[order.state];
  return <span class={tone === 'plain' ? 'tag' : `tag ${tone}`}>{stateName(order)}</span>;
}

/** Whether no real money was paid. */
export function isPlay({ isLive, provider }: Pick<Order, 'isLive' | 'provider'>): boolean {
  return !isLive || provider === 'test';
}
