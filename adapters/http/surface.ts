import type { IncomingMessage } from 'node:http';
import cors from '@koa/cors';
import type Koa from 'koa';
import compose from 'koa-compose';
import type { Caller } from '../../core/accounts/accounts.ts';
import { onceMade } from '../once-made.ts';
import type { Envelope } from './envelopes.ts';
import { Failure } from './failures.ts';
import { oneHost } from './host.ts';
import { createKeptRoutes } from './kept-routes.ts';
import { type CountCall, createRateLimit, type Quota } from './rate-limit.ts';
import type { Context, Middleware, State } from './state.ts';

/** The methods of endpoints, with the HTTP methods that they answer. */
const methods = { get: ['HEAD', 'GET'], post: ['POST'], put: ['PUT'], patch: ['PATCH'], delete: ['DELETE'] };

/** An endpoint of a surface: an API route, a page or a file. */
export interface Endpoint {
  readonly id: string;
  readonly method: keyof typeof methods;
  /** Variable parts are written as `:name`. */
  readonly paths: readonly string[];
  /** The form of its failures, if it differs from that of its surface. */
  readonly envelope?: Envelope;
  respond(ctx: Context): unknown;
  /** Returns the answer to a query. Only for endpoints that need nothing else of the request. */
  readonly answerQuery?: (query: object, state: State) => Promise<object>;
  /** `Cache-Control` of a success; everything else is `no-store`. */
  readonly cacheControl?: string;
}

/** The parts of a call that decide its quota. */
export interface Call {
  readonly request: IncomingMessage;
  readonly endpoint: Endpoint | undefined;
  readonly caller: Caller | undefined;
}

/** One part of the service: its paths, its callers, its quotas and its endpoints. */
export interface Surface {
  /** Its name in the metrics. */
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
  /** The form of its failures. */
  readonly envelope: Envelope;
  /** Headers of all its responses, beside those of every response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The CORS options. Without them, pages of other origins may not call it. */
  readonly cors?: cors.Options;
  /** The origin of its pages, if browsers send it forms. What a page of another site sends is then refused. */
  readonly formsOf?: string;
  /**
   * Identifies the caller and stores it in the state, if it is known. Not called for OPTIONS, whose response is the
   * same for everybody.
   */
  authenticate?(ctx: Context): Promise<void>;
  /** Returns the quota that a call is counted against. */
  quotaOf(call: Call): Quota;
  /** Called once for each call of a known caller. `isRefused`: whether the quota was used up. */
  noteCall?(caller: Caller, isRefused: boolean): void;
  /** Renders a failure for browsers. Without it, they get the failure as JSON. */
  renderFailure?(ctx: Context, status: number, failure: Failure): Promise<string>;
}

/** A surface that is made when it is needed. To make all of them takes much longer than to start a process that needs one. */
export interface LazySurface extends Pick<Surface, 'envelope'> {
  owns(path: string): boolean;
  /** Whether it is made before the first request, and not by it. */
  readonly atStart: boolean;
  /** Returns the surface, always the same. */
  make(): Promise<Surface>;
}

/** Makes the surfaces that must be made before the first request. */
export async function madeAtStart(surfaces: readonly LazySurface[]): Promise<Surface[]> {
  return await Promise.all(surfaces.filter(({ atStart }) => atStart).map(({ make }) => make()));
}

/** What a surface says of itself. The form of its failures is also that of processes that do not serve it. */
export type OwnSurface = Omit<Surface, 'envelope'>;

/** The headers that pages of other origins may read. By name, because older browsers take `*` as a name. */
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

/** CORS options for surfaces that pages of any origin may call, without credentials. */
export const openToAll = { origin: '*', allowMethods: 'GET,HEAD,POST', exposeHeaders: exposedHeaders, maxAge: 86_400 };

/** The headers that `openToAll` adds to an answer. */
export const openCors: Readonly<Record<string, string>> = {
  Vary: 'Origin',
  'Access-Control-Allow-Origin': openToAll.origin,
  'Access-Control-Expose-Headers': exposedHeaders.join(','),
};

/** Whether the path is the prefix or below it. Ignores case. */
export function isUnder(path: string, prefix: string): boolean {
  const start = path.slice(0, prefix.length + 1).toLowerCase();
  return start === prefix || start === `${prefix}/`;
}

/**
 * Sends a page to browsers that ask for an address without an endpoint. Returns false for other clients, which get the
 * failure of the surface.
 */
export type SendNotFound = (ctx: Context) => Promise<boolean>;

/**
 * Returns a function that finds a path's middleware: that of the first surface that owns the path. Without `count`, no
 * call is limited.
 */
export function createRouting(
  surfaces: readonly LazySurface[],
  count: CountCall | undefined,
  sendNotFound: SendNotFound = async () => false,
): (path: string) => Middleware {
  const ways = surfaces.map(({ owns, envelope, make }) => {
    const made = onceMade(async () => createSurface(await make(), count, sendNotFound));
    const answer: Middleware = async (ctx, next) => {
      ctx.state.envelope = envelope; // If the surface cannot be made.
      return await (await made())(ctx, next);
    };
    return { owns, answer };
  });
  return (path) => ways.find(({ owns }) => owns(path))?.answer ?? nothing;
}

const nothing: Middleware = () => {
  throw new Failure('not_found');
};

function createSurface(surface: Surface, count: CountCall | undefined, sendNotFound: SendNotFound): Middleware {
  const { name, endpoints, envelope, headers = {}, formsOf, authenticate, quotaOf, noteCall } = surface;
  const find = finder(endpoints);
  const router = createKeptRoutes();
  for (const endpoint of endpoints) {
    const answers: Middleware = (ctx) => {
      ctx.state.route = ctx._matchedRoute;
      ctx.state.endpoint = endpoint.id;
      if (formsOf !== undefined && endpoint.method !== 'get') expectSameSite(ctx, formsOf);
      return endpoint.respond(ctx);
    };
    router.register([...endpoint.paths], methods[endpoint.method], answers);
  }

  const limit = count
    ? createRateLimit(count, name, ({ req, state }) =>
        quotaOf({ request: req, endpoint: find(req.method, state.route), caller: state.caller }),
      )
    : through;
  const known: Middleware = async (ctx, next) => {
    await authenticate?.(ctx);
    return await next();
  };
  const noted = noteCall === undefined ? [] : [noting(noteCall)];
  const isOptions = (ctx: Context) => ctx.method === 'OPTIONS';

  return compose<Koa.ParameterizedContext<State>>([
    (ctx, next) => {
      ctx.state.surface = surface;
      ctx.set(headers);
      const path = ctx.path.toLowerCase().replace(/(?<=.)\/$/, '');
      const endpoint = find(ctx.method, path);
      if (endpoint) {
        ctx.state.route = path;
        ctx.state.endpoint = endpoint.id;
      }
      ctx.state.envelope = endpoint?.envelope ?? envelope;
      return next();
    },
    // OPTIONS is counted before `cors`, which ends a preflight; other methods after it, so that pages of other origins can read
    // a refusal.
    when(isOptions, limit),
    surface.cors ? (cors(surface.cors) as Middleware) : through,
    when((ctx) => !isOptions(ctx), compose([known, ...noted, limit])),
    oneHost,
    router.routes() as Middleware,
    async (ctx) => {
      const matched: { methods: string[] }[] | undefined = ctx.matched;
      if (matched === undefined || matched.length === 0) {
        if (await sendNotFound(ctx)) return;
        throw new Failure('not_found');
      }
      const allowed = new Set(matched.flatMap(({ methods }) => methods));
      throw new Failure('method_not_allowed', { headers: { Allow: [...allowed].sort().join(', ') } });
    },
  ]);
}

function noting(noteCall: NonNullable<Surface['noteCall']>): Middleware {
  return async ({ state }, next) => {
    try {
      return await next();
    } finally {
      if (state.caller) noteCall(state.caller, state.exceeded !== undefined);
    }
  };
}

/**
 * Returns a function that finds the endpoint of a path without variable parts. If none has the method, returns one that
 * has the path.
 */
function finder(endpoints: readonly Endpoint[]) {
  const byPath = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    for (const path of endpoint.paths) byPath.set(path, [...(byPath.get(path) ?? []), endpoint]);
  }
  return (method = '', path = ''): Endpoint | undefined => {
    const found = byPath.get(path);
    return found?.find((endpoint) => methods[endpoint.method].includes(method)) ?? found?.[0];
  };
}

/** Refuses HEAD for calls that activate or count with GET: who only looks must change nothing. `Allow`: the methods that it has. */
export function refuseHead({ method }: Context, Allow: string): void {
  if (method === 'HEAD') throw new Failure('method_not_allowed', { headers: { Allow } });
}

const through: Middleware = (_ctx, next) => next();

function when(applies: (ctx: Context) => boolean, middleware: Middleware): Middleware {
  return (ctx, next) => (applies(ctx) ? middleware(ctx, next) : next());
}

/**
 * Protects from CSRF: refuses a form that a page of another site sends. Browsers name the sender in `Sec-Fetch-Site`, and
 * on plain http only in `Origin`. A client that sends neither header is a program, which has nobody's cookies but its own.
 */
function expectSameSite(ctx: Context, origin: string): void {
  const site = ctx.get('Sec-Fetch-Site');
  if (site === 'same-origin' || site === 'none') return;
  const from = ctx.get('Origin');
  if (site === '' && (from === '' || from === origin || isOurs(from, ctx.host, origin))) return;
  throw new Failure('forbidden', {
    detail: 'This form was sent from another site. Open the page on this site and try again.',
  });
}

/** Behind a proxy, the site may have a name that this process does not know. A site on https never trusts plain http. */
function isOurs(from: string, host: string, origin: string): boolean {
  if (!URL.canParse(from)) return false;
  const sender = new URL(from);
  return sender.host === host && (sender.protocol === 'https:' || origin.startsWith('http:'));
}
