import { ContainerModule } from 'inversify';
import { accountEnvelope } from '../../../adapters/http/envelopes.ts';
import { stripeHook } from '../../../adapters/http/hooks/stripe.ts';
import { perAddress } from '../../../adapters/http/rate-limit.ts';
import { transportHeaders } from '../../../adapters/http/security-headers.ts';
import { isUnder, type Surface } from '../../../adapters/http/surface.ts';
import { createReceivePaymentEvent } from '../../../core/purchases/payment-events.ts';
import { isRefused } from '../../../core/refusal.ts';
import type { ServedSurface } from '../served-surface.ts';
import { t, token } from '../tokens.ts';

const shared = { owns: (path: string) => isUnder(path, '/hooks'), envelope: accountEnvelope };
const surface = token<Surface>('hooksSurface');

const module = new ContainerModule(({ bind }) => {
  bind(t.receivePaymentEvent).toResolvedValue(
    (store, { provider }, clock, log) => {
      const receive = createReceivePaymentEvent(store, provider, clock);
      return async (body, signature) => {
        const heard = await receive(body, signature);
        if (!isRefused(heard) && heard.kind === 'unknown payment') {
          log.info({ payment: heard.id }, 'an event about a payment of no order');
        }
        return heard;
      };
    },
    [t.orderStore, t.paymentSettings, t.clock, t.log],
  );
  bind(surface).toResolvedValue(
    (config, clientAddress, receive): Surface => ({
      ...shared,
      name: 'hooks',
      endpoints: [stripeHook(receive)],
      headers: transportHeaders(config.BASE_URL, config.HSTS_INCLUDE_SUBDOMAINS),
      quotaOf: perAddress('hooks', clientAddress, config.RATE_LIMIT_HOOKS),
    }),
    [t.config, t.clientAddress, t.receivePaymentEvent],
  );
});

/** The surface that other services call: it receives the events of the payment provider. */
export const hooks: ServedSurface = {
  ...shared,
  token: surface,
  module,
  servedBy: ['all', 'account'],
  url: 'BASE_URL',
};
