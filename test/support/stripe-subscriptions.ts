import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { createStripeProvider, type StripeOptions } from '../../adapters/payments/stripe/provider.ts';
import type { AgreedOffer } from '../../core/purchases/order.ts';
import { startStripeDouble } from './stripe-double/stripe-double.ts';
import { stripeOrder } from './stripe-order.ts';

/** When the subscriptions begin. */
export const subscribedAt = Date.UTC(2026, 10, 1);
export const returnAddresses = {
  done: 'https://shop.example/orders/t?paid',
  cancelled: 'https://shop.example/orders/t',
};

/** A subscription as an order keeps it. */
export const agreedSubscription = (months = 1, credit = 0): AgreedOffer => ({
  ...{ slug: 'monthly', name: 'Monthly', kind: 'subscription', updatesMonths: null, entitlements: [] },
  recurs: { months, graceDays: 7, perpetualAfter: null },
  ...(credit > 0 && { credit, builtOn: ['order:1'] }),
});

/** Starts a double of Stripe, and the provider that asks it. */
export async function startStripeSubscriptions(more: Partial<StripeOptions> = {}, secretKey?: string) {
  const clock = createManualClock(subscribedAt);
  const stripe = await startStripeDouble({ clock, ...(secretKey && { secretKey }) });
  const { webhookSecret, account } = stripe;
  const provider = createStripeProvider({
    ...{ secretKey: stripe.secretKey, webhookSecrets: [webhookSecret], api: stripe.url, clock },
    ...{ isLive: secretKey !== undefined, tax: { kind: 'none' }, retries: 0 },
    ...more,
  });
  /** A subscription whose first payment was made. */
  async function subscribed(
    wanted = agreedSubscription(),
    price = 4_900,
    confirmation: Parameters<typeof account.confirm>[1] = {},
  ) {
    const before = stripeOrder(subscribedAt, { isLive: secretKey !== undefined });
    const order = { ...before, agreed: { ...before.agreed, price, offer: wanted } };
    const { paymentId } = await provider.start(order, returnAddresses);
    account.confirm(paymentId, confirmation);
    const first = await provider.read(paymentId);
    return { order: { ...order, paymentId }, paymentId, first, id: String(first.subscriptionId) };
  }
  return { ...stripe, ...provider, clock, account, billing: account.billing, provider, subscribed };
}
