import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { baseCurrency } from '../../../core/currency.ts';
import type { ReturnAddresses } from '../../../core/ports/payments.ts';
import type { CouponPayments } from '../../../core/purchases/coupon.ts';
import { couponHold } from '../../../core/purchases/lapse.ts';
import { type Order, titleOf } from '../../../core/purchases/order.ts';
import { inFull, recursIn } from '../../../core/purchases/subscription.ts';
import { hour } from '../../../core/time.ts';
import { toStripe } from './amounts.ts';

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
  /** The id of what is taken off the payments of a subscription: see `couponOf`. */
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
          unit_amount: toStripe(recurs ? inFull(agreed).price : agreed.price, agreed.currency),
          ...(recurs && { recurring: { interval: 'month', interval_count: recurs.months } as const }),
          product_data: { name: titleOf(agreed), ...(code !== undefined && { tax_code: code }) },
        },
      },
    ],
    // Whoever has chosen a currency pays the price that its seller has set for it. If Stripe sells itself, it decides.
    ...(agreed.currency !== baseCurrency && tax.kind !== 'managed' && { adaptive_pricing: { enabled: false } }),
    client_reference_id: String(order.id),
    metadata,
    ...(recurs ? { subscription_data: { metadata } } : { payment_intent_data: { metadata } }),
    ...(coupon !== undefined && { discounts: [{ coupon }] }),
    customer_email: buyer.email,
    billing_address_collection: 'auto',
    // Who sells in the own name makes the invoice, too, and asks for what it needs.
    ...(tax.kind !== 'managed' && { tax_id_collection: { enabled: true } }),
    success_url: addresses.done,
    cancel_url: addresses.cancelled,
    // Longer than it holds the use of its coupon, an order must not be payable.
    expires_at: Math.floor((order.createdAt + (agreed.discount ? couponHold : patience)) / 1_000),
    ...(tax.kind === 'automatic' && { automatic_tax: { enabled: true } }),
    ...(tax.kind === 'managed' && { managed_payments: { enabled: true } }),
  };
}

/**
 * What is taken off the payments of a subscription: the unused part of the license before, off the first one; or what our coupon
 * takes off. A price that is paid once has nothing taken off at Stripe: what is asked for is what is to be paid.
 */
export function couponOf({ id, agreed }: Order): Stripe.CouponCreateParams | undefined {
  const recurs = recursIn(agreed);
  const { discount, currency } = agreed;
  const credit = agreed.offer?.credit ?? 0;
  const amount = credit + (discount?.amount ?? 0);
  if (recurs === undefined || amount === 0) return undefined;
  return {
    amount_off: toStripe(amount, currency),
    currency,
    ...(discount ? durationOf(discount.payments, recurs.months) : { duration: 'once' }),
    max_redemptions: 1,
    // Buyers see it on the page of Stripe and on the invoice. Stripe allows 40 characters.
    name: discount ? discount.code : 'Unused time',
    metadata: { order: String(id) },
  };
}

function durationOf(
  payments: CouponPayments,
  months: number,
): Pick<Stripe.CouponCreateParams, 'duration' | 'duration_in_months'> {
  if (payments === 'first') return { duration: 'once' };
  if (payments === 'every') return { duration: 'forever' };
  return { duration: 'repeating', duration_in_months: payments * months };
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
