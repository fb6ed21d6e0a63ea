import Koa from 'koa';
import { type Reporter, requestIdOf } from './exchange.ts';
import { bodyOf, statusOf } from './failures.ts';
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
    ctx.state.envelope = 'license';
    ctx.set('X-Request-Id', ctx.state.requestId);
    ctx.set('Cache-Control', 'no-store');
    ctx.set(apiHeaders);
    const started = performance.now();
    try {
      await surfaceOf(ctx.path)(ctx, next);
    } catch (error) {
      fail(ctx, error, reporter);
    }
    reporter.answered(ctx, (performance.now() - started) / 1000);
  });
  return app;
}

function fail(ctx: Context, error: unknown, reporter: Reporter): void {
  const failure = reporter.failed(error, ctx.state);
  ctx.set(failure.headers);
  ctx.set('Cache-Control', 'no-store');
  ctx.status = statusOf(failure.reason, ctx.state.envelope);
  ctx.body = bodyOf(failure, ctx.state.envelope);
}
