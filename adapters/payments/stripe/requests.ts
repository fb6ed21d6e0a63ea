import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import type { ReturnAddresses } from '../../../core/ports/payments.ts';
import { type Order, titleOf } from '../../../core/purchases/order.ts';
import { inFull, recursIn } from '../../../core/purchases/subscription.ts';
import { hour } from '../../../core/time.ts';

/** How Stripe handles tax. */
export type Tax =
  /** Nothing. */
  | { readonly kind: 'none' }
  /** Stripe Tax computes the tax. Without `code`, with the preset of the Stripe account. */
  | { readonly kind: 'automatic'; readonly code: string | undefined }
  /** Stripe sells in its own name, and pays the tax. It needs to know what is sold. */
  | { readonly kind: 'managed'; readonly code: string };

/** How long the page of Stripe can be used, in milliseconds. Stripe allows a day at most, by its own clock. */
const patience = 23 * hour;

/** Returns the Checkout Session to ask for. It is the same each time: Stripe compares repeated requests. */
export function sessionOf(
  order: Order,
  addresses: ReturnAddresses,
  tax: Tax,
  /** The id of what is taken off the first payment of a subscription. */
  coupon?: string,
): Stripe.Checkout.SessionCreateParams {
  const { agreed, buyer } = order;
  const recurs = recursIn(agreed);
  const metadata = { order: String(order.id) };
  const code = tax.kind === 'none' ? undefined : tax.code;
  return {
    mode: recurs ? 'subscription' : 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: agreed.currency,
          unit_amount: recurs ? inFull(agreed).price : agreed.price,
          ...(recurs && { recurring: { interval: 'month', interval_count: recurs.months } as const }),
          product_data: { name: titleOf(agreed), ...(code !== undefined && { tax_code: code }) },
        },
      },
    ],
    client_reference_id: String(order.id),
    metadata,
    ...(recurs ? { subscription_data: { metadata } } : { payment_intent_data: { metadata } }),
    ...(coupon !== undefined && { discounts: [{ coupon }] }),
    customer_email: buyer.email,
    success_url: addresses.done,
    cancel_url: addresses.cancelled,
    expires_at: Math.floor((order.createdAt + patience) / 1_000),
    ...(tax.kind === 'automatic' && { automatic_tax: { enabled: true } }),
    ...(tax.kind === 'managed' && { managed_payments: { enabled: true } }),
  };
}

/** What is taken off the first payment of a subscription: the unused part of the license before. */
export function couponOf({ id, agreed }: Order): Stripe.CouponCreateParams | undefined {
  const credit = agreed.offer?.credit ?? 0;
  if (recursIn(agreed) === undefined || credit === 0) return undefined;
  const { currency } = agreed;
  return {
    amount_off: credit,
    currency,
    duration: 'once',
    max_redemptions: 1,
    // Buyers see it on the page of Stripe and on the invoice.
    name: 'Unused time',
    metadata: { order: String(id) },
  };
}

/**
 * Returns an idempotency key. Several services can use one Stripe account, and their orders have the same ids, so the key
 * comes from the token. The token itself must not be seen in Stripe's logs.
 */
export function keyOf({ token }: Pick<Order, 'token'>, what: string): string {
  return `latchkey-${digestOf(token)}-${what}`;
}

/** Returns what stands for a text that must not be seen in Stripe's logs, or is too long for Stripe. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
