import { setImmediate as nextTurn } from 'node:timers/promises';
import Koa from 'koa';
import { noStore, refusalOf } from './answer.ts';
import { licenseEnvelope } from './envelopes.ts';
import { type Reporter, requestIdOf } from './exchange.ts';
import { apiHeaders } from './security-headers.ts';
import type { Context, Middleware, State } from './state.ts';

/**
 * The service as a Koa application. `surfaceOf` names what answers a path. Every failure, whatever threw it, ends here in
 * the envelope of its surface.
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

/** Tells the client that nothing more is read of a body that it is still sending. */
async function closeUnlessRead(ctx: Context): Promise<void> {
  if (ctx.req.complete || ctx.headerSent) return;
  await nextTurn(); // What came together with the head may not have been passed on yet.
  if (!ctx.req.complete) ctx.set('Connection', 'close');
}
