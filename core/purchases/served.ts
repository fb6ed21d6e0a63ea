import type { PaymentProvider } from '../ports/payments.ts';
import type { Order } from './order.ts';

/** Whether the provider that is set up takes the money of this order. */
export function serves(
  provider: PaymentProvider | undefined,
  { provider: name, isLive }: Pick<Order, 'provider' | 'isLive'>,
): provider is PaymentProvider {
  return provider?.name === name && provider.isLive === isLive;
}

/** Says what is missing for an order that waits for its provider. */
export function noProvider({ provider, isLive }: Pick<Order, 'provider' | 'isLive'>): string {
  return `No payment provider ${provider} is set up for ${isLive ? 'live' : 'test'} payments.`;
}
