import Stripe from 'stripe';
import { type Refused, refuse } from '../../../core/refusal.ts';
import { intentIdOf } from './known-payment.ts';

/** The payment that an event is about. */
export type About = { readonly paymentId: string } | { readonly intentId: string };

/** Seconds for which an event may be under way. An older one may be a recording that somebody sends again. */
const tolerance = 300;

/** The header, such as `t=1793491200,v1=5257a8…,v0=6ffb…`. The SDK fails on other forms, which anybody can send. */
const headerForm = /^t=\d{1,12}(?:,v\w+=\w+)+$/;

/** Returns the event if Stripe signed it with one of the secrets, on these very bytes and in the last five minutes. */
export async function verified(
  body: Uint8Array,
  signature: string | undefined,
  secrets: readonly string[],
  now: number,
): Promise<Stripe.Event | Refused<'invalid_signature'>> {
  const header = signature !== undefined && headerForm.test(signature) ? signature : '';
  for (const secret of header === '' || body.byteLength === 0 ? [] : secrets) {
    try {
      return await Stripe.webhooks.constructEventAsync(body, header, secret, tolerance, undefined, now);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
    }
  }
  return refuse('invalid_signature', 'The header Stripe-Signature does not fit this body, or is too old.');
}

/**
 * Returns the payment that an event is about. `undefined` if the payment is not ours, or the event is about other
 * things.
 */
export function aboutOf(event: Stripe.Event, isLive: boolean): About | undefined {
  if (event.livemode !== isLive || event.account !== undefined) return undefined;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired':
      return { paymentId: event.data.object.id };
    case 'charge.refunded':
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated': {
      const intentId = intentIdOf(event.data.object.payment_intent);
      return intentId === null ? undefined : { intentId };
    }
    // The endpoint may be subscribed to other events too.
    default:
      return undefined;
  }
}
