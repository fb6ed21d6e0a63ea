import type { OrderId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { OrderStore } from '../ports/order-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Within } from '../within.ts';
import type { PaymentSettings } from './ways-to-pay.ts';

/** The result of receiving an event of a payment provider. */
export type HeardEvent =
  /** Its order is looked at soon. */
  | { readonly kind: 'order'; readonly orderId: OrderId }
  /** It is about a payment, or a subscription, that no order has, for example of another program with the same account. `id`: its id. */
  | { readonly kind: 'unknown payment'; readonly id: string }
  /** It says nothing about payments, or is of the other mode. */
  | { readonly kind: 'nothing' };

/**
 * Receives an event of the payment provider. Only notes that its order must be looked at, so it is fast, and the same
 * event may come several times and in any order. Throws if the event must be sent again.
 */
export type ReceivePaymentEvent = (
  body: Uint8Array,
  signature: string | undefined,
) => Promise<HeardEvent | Refused<'invalid_signature' | 'invalid_event' | 'no_provider'>>;

interface ReceivePaymentEventPorts {
  readonly store: Pick<OrderStore, 'findByPayment' | 'findBySubscription' | 'lookAt'>;
  readonly settings: Pick<PaymentSettings, 'provider'>;
  readonly within: Within;
  readonly clock: Clock;
}

export function createReceivePaymentEvent({
  store,
  settings,
  within,
  clock,
}: ReceivePaymentEventPorts): ReceivePaymentEvent {
  return async (body, signature) => {
    const { provider } = settings;
    if (provider === undefined) return refuse('no_provider');
    const about = await provider.receive(body, signature);
    if (about === undefined) return { kind: 'nothing' };
    if (isRefused(about)) return about;
    const { name } = provider;
    const id = Object.values(about).join();
    let order = await ('subscriptionId' in about ? store.findBySubscription(name, id) : store.findByPayment(name, id));
    if (order === undefined && 'intentId' in about) {
      // An order has the id of its intent only after the first look that found one.
      const paymentId = await within((until) => provider.paymentOf(id, until));
      order = paymentId === undefined ? undefined : await store.findByPayment(name, paymentId);
    }
    if (order === undefined) return { kind: 'unknown payment', id };
    await store.lookAt(order.id, clock.now());
    return { kind: 'order', orderId: order.id };
  };
}
