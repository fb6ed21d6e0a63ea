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
  /** Absent where nothing is limited. */
  readonly limit?: { readonly by: RateLimit; quotaOf(ctx: Context, route: Route | undefined): Quota };
}

export const exposedHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'X-Request-Id',
];

export function createSurface({ routes, envelope, cors: corsOptions, limit }: Surface): Middleware {
  const byPath = new Map(routes.flatMap((route) => route.paths.map((path) => [path, route])));
  const router = new Router<State>();
  for (const route of routes) {
    const answers: Middleware = (ctx) => route.respond(ctx);
    router.register([...route.paths], route.method === 'get' ? ['HEAD', 'GET'] : ['POST'], answers);
  }

  const limited: Middleware = (ctx, next) =>
    limit ? limit.by(ctx, limit.quotaOf(ctx, byPath.get(ctx.state.route ?? '')), next) : next();

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
