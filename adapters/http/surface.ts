import cors from '@koa/cors';
import Router from '@koa/router';
import type Koa from 'koa';
import compose from 'koa-compose';
import { type Envelope, Failure } from './failures.ts';
import type { Quota, RateLimit } from './rate-limit.ts';
import type { Route } from './route.ts';
import type { Context, Middleware, State } from './state.ts';

/** One of the service's faces: its routes, who may call it from a browser, and how its calls are limited. */
export interface Surface {
  readonly routes: readonly Route[];
  /** In which failures are told where no route is met. */
  readonly envelope: Envelope;
  readonly cors: cors.Options;
  /** What a call is counted against. Asked once for each call, whether calls are limited or not. */
  quotaOf(ctx: Context, route: Route | undefined): Quota | Promise<Quota>;
  /** Absent where nothing is limited. */
  readonly limit?: RateLimit | undefined;
}

export const exposedHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'X-Request-Id',
  'Idempotency-Replayed',
];

/** How any origin's pages may call a surface, which needs no credentials for it. */
export const openToAll = { origin: '*', allowMethods: 'GET,HEAD,POST', exposeHeaders: exposedHeaders, maxAge: 86_400 };

/** What that says on an answer. */
export const openCors: Readonly<Record<string, string>> = {
  Vary: 'Origin',
  'Access-Control-Allow-Origin': openToAll.origin,
  'Access-Control-Expose-Headers': exposedHeaders.join(','),
};

export function createSurface({ routes, envelope, cors: corsOptions, quotaOf, limit }: Surface): Middleware {
  const byPath = new Map(routes.flatMap((route) => route.paths.map((path) => [path, route])));
  const router = new Router<State>();
  for (const route of routes) {
    const answers: Middleware = (ctx) => {
      ctx.state.route = ctx._matchedRoute;
      return route.respond(ctx);
    };
    router.register([...route.paths], route.method === 'get' ? ['HEAD', 'GET'] : ['POST'], answers);
  }

  const limited: Middleware = async (ctx, next) => {
    const quota = await quotaOf(ctx, byPath.get(ctx.state.route ?? ''));
    return limit ? await limit(ctx, quota, next) : await next();
  };

  return compose<Koa.ParameterizedContext<State>>([
    (ctx, next) => {
      const path = ctx.path.toLowerCase().replace(/(?<=.)\/$/, '');
      const route = byPath.get(path);
      if (route) ctx.state.route = path;
      ctx.state.envelope = route?.envelope ?? envelope;
      return ctx.method === 'OPTIONS' ? limited(ctx, next) : next();
    },
    cors(corsOptions) as Middleware,
    (ctx, next) => (ctx.method === 'OPTIONS' ? next() : limited(ctx, next)),
    router.routes() as Middleware,
    (ctx) => {
      const matched: { methods: string[] }[] | undefined = ctx.matched;
      if (matched === undefined || matched.length === 0) throw new Failure('not_found');
      const allowed = new Set(matched.flatMap(({ methods }) => methods));
      throw new Failure('method_not_allowed', { headers: { Allow: [...allowed].sort().join(', ') } });
    },
  ]);
}

/** What stands where a process does not serve a surface. */
export function closedSurface(envelope: Envelope): Middleware {
  return (ctx) => {
    ctx.state.envelope = envelope;
    throw new Failure('not_found');
  };
}
