import type { VNode } from 'preact';
import type { SubscriptionState } from '../../../core/purchases/subscription.ts';

/** The names of the states of subscriptions, for buyers and sellers. `due`: it is time for a payment that the buyer makes here. */
export const subscriptionNames = {
  running: 'Running',
  due: 'Payment due',
  past_due: 'Payment missing',
  paused: 'Paused',
  cancelled: 'Cancelled',
  ended: 'Ended',
} as const satisfies Record<SubscriptionState | 'due', string>;
export type ShownSubscription = keyof typeof subscriptionNames;

const looks = {
  running: 'tag good',
  due: 'tag busy',
  past_due: 'tag bad',
  paused: 'tag busy',
  cancelled: 'tag busy',
  ended: 'tag',
} as const satisfies Record<ShownSubscription, string>;

/** How a subscription stands. */
export function SubscriptionTag({ state }: { readonly state: ShownSubscription }): VNode {
  return <span class={looks[state]}>{subscriptionNames[state]}</span>;
}
