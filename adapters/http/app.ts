import { setImmediate as nextTurn } from 'node:timers/promises';
import Koa from 'koa';
import { licenseEnvelope } from './envelopes.ts';
import { type Reporter, requestIdOf } from './exchange.ts';
import { noStore, type Refusal, refusalOf } from './refusal.ts';
import { apiHeaders } from './security-headers.ts';
import type { Context, Middleware, State } from './state.ts';
import { prefersPage } from './ui/send-page.ts';

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
      ctx.body = (await pageOf(ctx, refusal)) ?? refusal.body;
    }
    await closeUnlessRead(ctx);
    reporter.answered(ctx, (performance.now() - started) / 1000);
  });
  return app;
}

/** Returns the refusal as a page, if the surface has pages and the client wants one. */
async function pageOf(ctx: Context, { status, failure }: Refusal): Promise<string | undefined> {
  const { renderFailure } = ctx.state;
  if (renderFailure === undefined || !prefersPage(ctx)) return undefined;
  ctx.type = 'html';
  return await renderFailure(ctx, status, failure);
}

/** Closes the connection after the response if the body is still arriving: we do not read the rest. */
async function closeUnlessRead(ctx: Context): Promise<void> {
  if (ctx.req.complete || ctx.headerSent) return;
  await nextTurn(); // Node may still hold data that arrived with the headers.
  if (!ctx.req.complete) ctx.set('Connection', 'close');
}
