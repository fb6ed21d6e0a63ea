import { createApp } from '../../../adapters/http/app.ts';
import { createReporter } from '../../../adapters/http/exchange.ts';
import { healthEndpoints } from '../../../adapters/http/health.ts';
import { stripeHook } from '../../../adapters/http/hooks/stripe.ts';
import { answerFromMemory, createAnswerKeeper } from '../../../adapters/http/kept-answers.ts';
import { noteStrays } from '../../../adapters/http/license/note-strays.ts';
import { createAnswerSigning } from '../../../adapters/http/license/signed-answers.ts';
import { perAddress } from '../../../adapters/http/rate-limit.ts';
import { createShortcut } from '../../../adapters/http/shortcut.ts';
import { createRouting, madeAtStart, type OwnSurface } from '../../../adapters/http/surface.ts';
import { inTurns } from '../../../adapters/http/turns.ts';
import { clock, config, log, neededChecks, sendNotFound, surfaces, warnings } from '../chosen.ts';
import { lifecycle } from '../lifecycle.ts';
import { pageMemory } from '../page-memory.ts';
import { part } from '../part.ts';
import { clientAddress } from './addresses.ts';
import { leaseKeys } from './leases.ts';
import { strayCounter } from './licensing.ts';
import { callCounter } from './limits.ts';
import { metrics, tracing } from './observing.ts';
import { receivePaymentEvent } from './purchases.ts';

/** The surface of `/health/…`, which every process serves. */
export const healthSurface = part(
  ({ config, clientAddress, checks, dispensable, lifecycle: { accepts } }): OwnSurface => ({
    name: 'health',
    endpoints: healthEndpoints({ checks, dispensable, accepts }),
    quotaOf: perAddress('health', clientAddress, config.RATE_LIMIT_HEALTH),
  }),
  { config, clientAddress, checks: neededChecks, dispensable: warnings, lifecycle },
);

/** The surface that other services call: it receives the events of the payment provider. */
export const hooksSurface = part(
  ({ config, clientAddress, receive }): OwnSurface => ({
    name: 'hooks',
    endpoints: [stripeHook(receive)],
    quotaOf: perAddress('hooks', clientAddress, config.RATE_LIMIT_HOOKS),
  }),
  { config, clientAddress, receive: receivePaymentEvent },
);

const noteStray = part(({ counter, clientAddress, clock }) => noteStrays(counter, clientAddress, clock), {
  counter: strayCounter,
  clientAddress,
  clock,
});
export const reporter = part(
  ({ log, metrics, tracing, clientAddress, noteStray }) =>
    createReporter(
      log,
      {
        observe(exchange, seconds) {
          metrics.observe(exchange, seconds);
          tracing.request(exchange, seconds);
          noteStray(exchange);
        },
      },
      clientAddress,
    ),
  { log, metrics, tracing, clientAddress, noteStray },
);
export const app = part(
  ({ surfaces, counter, reporter, sendNotFound, memory, leaseKeys, clock }) =>
    createApp(
      createRouting(surfaces, counter.count, sendNotFound),
      reporter,
      createAnswerKeeper(memory),
      createAnswerSigning(leaseKeys, clock),
    ),
  { surfaces, counter: callCounter, reporter, sendNotFound, memory: pageMemory, leaseKeys, clock },
);
export const listener = part(
  async ({ app, surfaces, counter: { count }, reporter, clientAddress, memory }) =>
    createShortcut(
      { surfaces: await madeAtStart(surfaces), count, reporter },
      answerFromMemory({ memory, count, reporter }, inTurns(app.callback(), clientAddress)),
    ),
  { app, surfaces, counter: callCounter, reporter, clientAddress, memory: pageMemory },
);
