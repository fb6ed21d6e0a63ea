import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { mayHaveBody } from './body.ts';
import { type Reporter, requestIdOf } from './exchange.ts';
import { noStore, responseTo } from './failure-response.ts';
import { namesOneHost } from './host.ts';
import { type CountCall, customaryHeaders } from './rate-limit.ts';
import { allHeaders } from './security-headers.ts';
import type { State } from './state.ts';
import { type Endpoint, openCors, openToAll, type Surface } from './surface.ts';

/** The surfaces that the shortcut serves, and its tools. */
export interface Shortcuts {
  readonly surfaces: readonly Surface[];
  /** `undefined` if nothing is limited. */
  readonly count: CountCall | undefined;
  readonly reporter: Reporter;
}

/**
 * Answers plain GET requests to endpoints with `answerQuery`, with the same headers as the Koa application, at a
 * fraction of the cost: contexts, middleware and routing take longer than a verification itself. All other requests go
 * to `otherwise`, also those to surfaces with authentication or with restricted CORS, and those who ask for a signature.
 */
export function createShortcut({ surfaces, count, reporter }: Shortcuts, otherwise: RequestListener): RequestListener {
  const open = surfaces.filter((surface) => surface.cors === openToAll && surface.authenticate === undefined);
  const byPath = new Map(open.flatMap(pathsOf));

  const send = createOutbox();

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    { surface, endpoint, always }: Way,
    path: string,
    query: object,
  ) {
    const get = getterOf(request);
    const { envelope = surface.envelope, answerQuery, cacheControl = noStore['Cache-Control'] } = endpoint;
    const state: State = { requestId: requestIdOf(get('X-Request-Id')), envelope, route: path, endpoint: endpoint.id };
    const started = performance.now();
    const headers = ['X-Request-Id', state.requestId, ...always];
    let status = 200;
    let body: object | undefined;
    try {
      const counted = await count?.(surface.name, surface.quotaOf({ request, endpoint, caller: undefined }));
      if (counted) add(add(headers, counted.headers), customaryHeaders(counted.tightest));
      if (counted?.failure) throw counted.failure;
      body = await answerQuery?.(query, state);
      headers.push('Cache-Control', cacheControl);
    } catch (error) {
      const failed = responseTo(error, state, reporter);
      status = failed.status;
      body = failed.body;
      add(headers, failed.headers);
    }
    const exchange = { method: 'GET', path, status, req: request, state, get };
    reporter.answered(exchange, (performance.now() - started) / 1000);
    const text = JSON.stringify(body);
    const length = Buffer.byteLength(text);
    headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(length));
    // ASCII text is the same in Latin-1, which Node writes faster.
    send(() => response.writeHead(status, headers).end(text, length === text.length ? 'latin1' : 'utf8'));
  }

  return (request, response) => {
    const { method, url = '' } = request;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const way = method === 'GET' ? byPath.get(path) : undefined;
    const query =
      way && isPlain(request) && request.headers['accept-signature'] === undefined
        ? plainQuery(mark < 0 ? '' : url.slice(mark + 1))
        : undefined;
    if (way === undefined || query === undefined) return otherwise(request, response);
    answer(request, response, way, path, query).catch((error) => {
      reporter.undelivered(error);
      response.destroy();
    });
  };
}

interface Way {
  readonly surface: Surface;
  readonly endpoint: Endpoint;
  /** Headers of every response: each name, then its value. */
  readonly always: readonly string[];
}

function pathsOf(surface: Surface): (readonly [path: string, way: Way])[] {
  const always = Object.entries({ ...allHeaders, ...surface.headers, ...openCors }).flat();
  return surface.endpoints
    .filter(({ answerQuery }) => answerQuery !== undefined)
    .flatMap((endpoint) => endpoint.paths.map((path) => [path, { surface, endpoint, always }] as const));
}

/**
 * Sends all responses of one turn of the event loop together, so that a client wakes up once for many responses. This
 * costs both sides less.
 */
function createOutbox(): (send: () => void) => void {
  let waiting: (() => void)[] = [];
  const sendAll = () => {
    const all = waiting;
    waiting = [];
    for (const send of all) send();
  };
  return (send) => {
    if (waiting.push(send) === 1) process.nextTick(sendAll);
  };
}

/** Returns a function that reads a header of a request, as that of Koa. */
export function getterOf({ headers }: IncomingMessage): (header: string) => string {
  return (header) => String(headers[header.toLowerCase()] ?? '');
}

/** Adds headers to a list of names and values. */
export function add(headers: string[], more: Readonly<Record<string, string>>): string[] {
  for (const name in more) headers.push(name, more[name] ?? '');
  return headers;
}

/** Whether the request has no body and one Host header. */
export function isPlain(request: IncomingMessage): boolean {
  return !mayHaveBody(request) && namesOneHost(request);
}

/** Parses a query as Koa does. Returns `undefined` if the query contains a fragment, or the same parameter twice. */
function plainQuery(text: string): object | undefined {
  if (text.includes('#')) return undefined;
  const query = parse(text);
  return Object.values(query).some(Array.isArray) ? undefined : query;
}
