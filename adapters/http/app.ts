import { setImmediate as nextTurn } from 'node:timers/promises';
import Koa from 'koa';
import { licenseEnvelope } from './envelopes.ts';
import { type Reporter, requestIdOf } from './exchange.ts';
import { noStore, refusalOf } from './refusal.ts';
import { apiHeaders } from './security-headers.ts';
import type { Context, Middleware, State } from './state.ts';

/**
 * Creates the Koa application. `surfaceOf` returns the middleware for a path. All errors are caught here and sent in
 * the envelope of their surface.
 */
export function createApp(surfaceOf: (path: string) => Middleware, reporter: Reporter): Koa<State> {
  const app = new Koa<State>();
  app.on('error', reporter.undelivered);

  app.use(async (ctx, next) => {
    ctx.state.requestId = requestIdOf(ctx.get('X-Request-Id'));
    ctx.state.envelope = licenseEnvelope;
    ctx.set('X-Request-Id', ctx.state.requestId);
    ctx.set(noStore);
    ctx.set(apiHeaders);
    const started = performance.now();
    try {
      await surfaceOf(ctx.path)(ctx, next);
    } catch (error) {
      const refusal = refusalOf(error, ctx.state, reporter);
      ctx.set(refusal.headers);
      ctx.status = refusal.status;
      ctx.body = refusal.body;
    }
    await closeUnlessRead(ctx);
    reporter.answered(ctx, (performance.now() - started) / 1000);
  });
  return app;
}

/** Closes the connection after the response if the body is still arriving: we do not read the rest. */
async function closeUnlessRead(ctx: Context): Promise<void> {
  if (ctx.req.complete || ctx.headerSent) return;
  await nextTurn(); // Node may still hold data that arrived with the headers.
  if (!ctx.req.complete) ctx.set('Connection', 'close');
}
