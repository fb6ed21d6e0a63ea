import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import helmet from 'koa-helmet';
import type { Logger } from 'pino';
import { shortenLicenseKey } from '../../core/licensing/license-key.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { bodyOf, Failure, statusOf } from './failures.ts';
import type { HttpMetrics } from './metrics.ts';
import type { Context, Middleware, State } from './state.ts';

const usableRequestId = /^[\w.:/+=@-]{1,128}$/;

/**
 * The service as a Koa application. `surfaceOf` names what answers a path. Every failure, whatever threw it, ends here in
 * the envelope of its surface; what is not a `Failure` is logged whole and told as nothing but `internal_error`.
 */
export function createApp(options: {
  readonly surfaceOf: (path: string) => Middleware;
  readonly log: Logger;
  readonly metrics: Pick<HttpMetrics, 'observe'>;
}): Koa<State> {
  const { surfaceOf, log, metrics } = options;
  const app = new Koa<State>();
  app.on('error', (error) => log.debug({ err: error }, 'response not delivered'));

  app.use(async (ctx, next) => {
    const given = ctx.get('X-Request-Id');
    ctx.state.requestId = usableRequestId.test(given) ? given : randomUUID();
    ctx.state.envelope = 'license';
    ctx.set('X-Request-Id', ctx.state.requestId);
    ctx.set('Cache-Control', 'no-store');
    const started = performance.now();
    try {
      await next();
    } catch (error) {
      fail(ctx, error, log);
    }
    const seconds = (performance.now() - started) / 1000;
    metrics.observe(ctx, seconds);
    write(ctx, seconds, log);
  });
  app.use(securityHeaders);
  app.use((ctx, next) => surfaceOf(ctx.path)(ctx, next));
  return app;
}

const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'cross-origin' },
}) as Middleware;

function fail(ctx: Context, error: unknown, log: Logger): void {
  const failure = asFailure(error);
  if (failure.reason === 'internal_error') log.error({ err: error, requestId: ctx.state.requestId }, 'request failed');
  if (failure.reason === 'service_unavailable') log.warn({ err: error, requestId: ctx.state.requestId }, 'unavailable');
  ctx.state.refused = failure.reason;
  ctx.set(failure.headers);
  ctx.set('Cache-Control', 'no-store');
  ctx.status = statusOf(failure.reason, ctx.state.envelope);
  ctx.body = bodyOf(failure, ctx.state.envelope);
}

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Unavailable) {
    return new Failure('service_unavailable', { headers: { 'Retry-After': '1' }, cause: error });
  }
  return new Failure('internal_error', { cause: error });
}

/** A line for each request but the successful verifications, which are many and all alike (they show at level `debug`). */
function write(ctx: Context, seconds: number, log: Logger): void {
  const { requestId, refused, route, licenseKey } = ctx.state;
  const level = ctx.status >= 500 ? 'error' : ctx.state.envelope === 'verify' && !refused ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  log[level](
    {
      requestId,
      method: ctx.method,
      path: route ?? ctx.path,
      status: ctx.status,
      milliseconds: Math.round(seconds * 100_000) / 100,
      client: ctx.ip,
      ...(refused && { refused }),
      ...(licenseKey && { license: shortenLicenseKey(licenseKey) }),
    },
    'request',
  );
}
