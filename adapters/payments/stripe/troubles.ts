import Stripe from 'stripe';
import { Unavailable } from '../../../core/unavailable.ts';

/**
 * Turns an error of the SDK into one of ours, and returns any other error as it is. The messages name type, code,
 * parameter and request, and never repeat Stripe's words: those can contain parts of a key.
 */
export function troubleOf(error: unknown, doing: string): unknown {
  const { StripeError, StripeConnectionError, StripeAuthenticationError, StripePermissionError } = Stripe.errors;
  if (!(error instanceof StripeError)) return error;
  if (error instanceof StripeConnectionError) {
    const { detail } = error;
    const code = typeof detail === 'object' && detail !== null && 'code' in detail ? ` (${detail.code})` : '';
    return new Unavailable(`Stripe cannot be reached ${doing}${code}.`);
  }
  if (error instanceof StripeAuthenticationError || error instanceof StripePermissionError) {
    return new Unavailable(`Stripe does not accept STRIPE_SECRET_KEY ${doing} (${factsOf(error)}).`);
  }
  const message = `Stripe refuses ${doing} (${factsOf(error)}).`;
  return isRefusal(error) ? new Error(message) : new Unavailable(message);
}

/** Whether Stripe refuses the request itself, so that sending it again does not help. */
export function isRefusal(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  const { StripeInvalidRequestError, StripeIdempotencyError } = Stripe.errors;
  return error instanceof StripeInvalidRequestError || error instanceof StripeIdempotencyError;
}

/** Whether Stripe does not know the object, or not in the mode of the key. */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';
}

/**
 * Whether the answer is an old failure of Stripe's own, which it repeats for every request with the same idempotency
 * key. See https://docs.stripe.com/api/idempotent_requests.
 */
export function isRepeatedFailure(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return (error.statusCode ?? 0) >= 500 && error.headers?.['idempotent-replayed'] === 'true';
}

function factsOf({ statusCode, rawType, code, param, requestId }: Stripe.errors.StripeError): string {
  return [`status ${statusCode ?? 'unknown'}`, rawType, code, param, requestId].filter(Boolean).join(', ');
}
