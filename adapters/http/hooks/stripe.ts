import type { ReceivePaymentEvent } from '../../../core/purchases/payment-events.ts';
import { isRefused } from '../../../core/refusal.ts';
import { readSigned } from '../body.ts';
import { Failure } from '../failures.ts';
import { type Endpoint, isUnder } from '../surface.ts';

export const ownsHooks = (path: string) => isUnder(path, '/hooks');

/**
 * `POST /hooks/stripe` receives the events of Stripe. Only Stripe can call it, because it needs a signature. Stripe sends
 * an event again if the answer is not 2xx: https://docs.stripe.com/webhooks.
 */
export function stripeHook(receive: ReceivePaymentEvent): Endpoint {
  return {
    id: 'receiveStripeEvent',
    method: 'post',
    paths: ['/hooks/stripe'],
    async respond(ctx) {
      const heard = await receive(await readSigned(ctx), ctx.get('Stripe-Signature') || undefined);
      if (isRefused(heard)) {
        const { reason, detail } = heard;
        throw new Failure(reason === 'no_provider' ? 'not_found' : 'bad_request', { detail });
      }
      ctx.body = { received: true };
    },
  };
}
