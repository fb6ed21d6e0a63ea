import type { VNode } from 'preact';
import type { DeliveryEntry, DeliveryState } from '../../../../../core/webhooks/delivery.ts';
import { type Endpoint, type EndpointState, stateOf } from '../../../../../core/webhooks/endpoint.ts';
import { texts } from '../../../ui/texts.ts';

const { sellingWebhooks: words } = texts;

const looks = {
  on: 'tag good',
  failing: 'tag busy',
  failed: 'tag bad',
  off: 'tag',
} as const satisfies Record<EndpointState, string>;

const deliveryLooks = {
  waiting: 'tag',
  delivered: 'tag good',
  failed: 'tag bad',
} as const satisfies Record<DeliveryState, string>;

export function StateTag({ endpoint }: { readonly endpoint: Endpoint }): VNode {
  const state = stateOf(endpoint);
  const isListening = endpoint.url === null && state === 'on';
  return <span class={looks[state]}>{isListening ? words.listens : words.states[state]}</span>;
}

/** The state of a delivery. One that waits after a failure says which. */
export function DeliveryTag({ delivery: { state, fault } }: { readonly delivery: DeliveryEntry }): VNode {
  const isTriedAgain = state === 'waiting' && fault !== null;
  return (
    <>
      <span class={isTriedAgain ? 'tag busy' : deliveryLooks[state]}>{words.deliveries.states[state]}</span>
      {fault !== null && <small class="faint"> {words.faults[fault]}</small>}
    </>
  );
}
