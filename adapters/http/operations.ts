import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware } from './state.ts';

/** Whether the service can do its work; each check throws where what it looks at is out. */
export interface Readiness {
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** What the service can do without: told beside the others, but no reason not to be ready. */
  readonly dispensable?: Readonly<Record<string, () => Promise<void>>>;
  /** False from the moment that the process was told to stop. */
  accepts(): boolean;
}

/** `GET /health/live`: the process answers. `GET /health/ready`: so does all that it needs. */
export function createHealth({ checks, dispensable = {}, accepts }: Readiness): Middleware {
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === '/health/live') {
      ctx.state.route = ctx.path;
      ctx.body = { status: 'ok' };
    } else if (ctx.path === '/health/ready') {
      ctx.state.route = ctx.path;
      const results = await Promise.all(
        Object.entries({ ...checks, ...dispensable }).map(
          async ([name, check]): Promise<[string, 'ok' | 'down']> => [
            name,
            await check().then(
              () => 'ok',
              () => 'down',
            ),
          ],
        ),
      );
      const ready = accepts() && results.every(([name, result]) => result === 'ok' || name in dispensable);
      ctx.status = ready ? 200 : 503;
      ctx.body = { status: ready ? 'ok' : 'unavailable', checks: Object.fromEntries(results) };
    } else {
      return next();
    }
  };
}

/** `GET /metrics` in Prometheus's text format, for a port that the public does not reach. */
export function createMetricsListener(registry: { readonly contentType: string; metrics(): Promise<string> }) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await registry.metrics();
      response.writeHead(200, { 'Content-Type': registry.contentType }).end(text);
    } catch {
      response.writeHead(503).end(); // A worker did not tell its own in time.
    }
  };
}
