import Stripe from 'stripe';
import { z } from 'zod';
import { isRefused, type Refused, refuse } from '../../../core/refusal.ts';
import type { stripeEvents } from '../../contracts/stripe-events.ts';
import { idOf } from './known-payment.ts';

/** The payment that an event is about. */
export type About =
  | { readonly paymentId: string }
  | { readonly intentId: string }
  | { readonly subscriptionId: string };

/** Seconds for which an event may be under way. An older one may be a recording that somebody sends again. */
const tolerance = 300;

/** The header, such as `t=1793491200,v1=5257a8…,v0=6ffb…`. The SDK fails on other forms, which anybody can send. */
const headerForm = /^t=\d{1,12}(?:,v\w+=\w+)+$/;

/** Whether Stripe signed these very bytes with one of the secrets, in the last five minutes. */
async function isSigned(
  body: Uint8Array,
  signature: string | undefined,
  secrets: readonly string[],
  now: number,
): Promise<boolean> {
  const { signature: signer } = Stripe.webhooks;
  if (signature === undefined || !headerForm.test(signature) || body.byteLength === 0) return false;
  for (const secret of secrets) {
    try {
      return (await signer?.verifyHeaderAsync(body, signature, secret, tolerance, undefined, now)) === true;
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
    }
  }
  return false;
}

const id = z.string().regex(/^\w{1,255}$/);

/** The part of an event that all kinds have: https://docs.stripe.com/api/events/object. */
const eventShape = z.object({
  id,
  object: z.literal('event'),
  type: z.string(),
  livemode: z.boolean(),
  account: z.string().nullish(),
  data: z.object({ object: z.unknown().optional() }),
});
export type SignedEvent = z.output<typeof eventShape>;

const session = z.object({ id }).transform((found): About => ({ paymentId: found.id }));
const ofIntent = z
  .object({ payment_intent: z.union([id, z.object({ id }), z.null()]) })
  .transform(({ payment_intent: intent }): About | undefined => {
    const intentId = idOf(intent);
    return intentId === null ? undefined : { intentId };
  });
const subscription = z.object({ id }).transform((found): About => ({ subscriptionId: found.id }));
/** Invoices that no subscription has made are not ours. */
const ofSubscription = z
  .object({
    parent: z
      .object({ subscription_details: z.object({ subscription: z.union([id, z.object({ id })]) }).nullish() })
      .nullish(),
  })
  .transform(({ parent }): About | undefined => {
    const subscriptionId = idOf(parent?.subscription_details?.subscription ?? null);
    return subscriptionId === null ? undefined : { subscriptionId };
  });
/** Reads the payment from the data of an event, by its kind. The endpoint may be subscribed to other kinds too. */
export const kinds: ReadonlyMap<string, z.ZodType<About | undefined>> = new Map(
  Object.entries({
    'checkout.session.completed': session,
    'checkout.session.async_payment_succeeded': session,
    'checkout.session.async_payment_failed': session,
    'checkout.session.expired': session,
    'charge.refunded': ofIntent,
    'refund.created': ofIntent,
    'refund.updated': ofIntent,
    'refund.failed': ofIntent,
    'charge.dispute.created': ofIntent,
    'charge.dispute.updated': ofIntent,
    'charge.dispute.closed': ofIntent,
    'charge.dispute.funds_withdrawn': ofIntent,
    'charge.dispute.funds_reinstated': ofIntent,
    'invoice.paid': ofSubscription,
    'invoice.payment_failed': ofSubscription,
    'invoice.payment_action_required': ofSubscription,
    'invoice.voided': ofSubscription,
    'invoice.marked_uncollectible': ofSubscription,
    'customer.subscription.updated': subscription,
    'customer.subscription.deleted': subscription,
    'customer.subscription.paused': subscription,
    'customer.subscription.resumed': subscription,
  } satisfies Record<(typeof stripeEvents)[number] & Stripe.Event.Type, unknown>),
);

/** Returns the event if Stripe signed it with one of the secrets, on these very bytes and in the last five minutes. */
export async function verified(
  body: Uint8Array,
  signature: string | undefined,
  secrets: readonly string[],
  now: number,
): Promise<SignedEvent | Refused<'invalid_signature' | 'invalid_event'>> {
  if (!(await isSigned(body, signature, secrets, now))) {
    return refuse('invalid_signature', 'The header Stripe-Signature does not fit this body, or is too old.');
  }
  const value = parsed(body);
  if (isRefused(value)) return value;
  const { success, data, error } = eventShape.safeParse(value.json);
  if (success) return data;
  if (z.object({ object: z.literal('v2.core.event') }).safeParse(value.json).success) {
    return refuse(
      'invalid_event',
      'This is a thin event. Set the payload style of the event destination at Stripe to snapshot.',
    );
  }
  const field = error.issues[0]?.path.join('.') ?? '';
  return refuse(
    'invalid_event',
    `The body is no event of Stripe${field && `: its field ${field} is missing or wrong`}.`,
  );
}

function parsed(body: Uint8Array): { readonly json: unknown } | Refused<'invalid_event'> {
  try {
    return { json: JSON.parse(Buffer.from(body).toString()) };
  } catch {
    return refuse('invalid_event', 'The body is no valid JSON.');
  }
}

/**
 * Returns the payment that an event is about. `undefined` if the payment is not ours, or the event is about other
 * things.
 */
export function aboutOf(
  { type, livemode, account, data }: SignedEvent,
  isLive: boolean,
): About | undefined | Refused<'invalid_event'> {
  const kind = kinds.get(type);
  if (kind === undefined || livemode !== isLive || account != null) return undefined;
  const about = kind.safeParse(data.object);
  return about.success ? about.data : refuse('invalid_event', `The event ${type} does not name its payment.`);
}
