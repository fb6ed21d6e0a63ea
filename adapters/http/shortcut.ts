import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { type Reporter, requestIdOf } from './exchange.ts';
import { bodyOf, statusOf } from './failures.ts';
import type { CountCall, Quota } from './rate-limit.ts';
import type { Route } from './route.ts';
import { apiHeaders } from './security-headers.ts';
import type { State } from './state.ts';
import { openCors } from './surface.ts';

/** What the routes need that answer a query and nothing else. */
export interface Shortcuts {
  readonly routes: readonly Route[];
  quotaOf(request: IncomingMessage, route: Route): Quota;
  /** Absent where nothing is limited. */
  readonly count: CountCall | undefined;
  readonly reporter: Reporter;
}

const always = Object.entries({ ...apiHeaders, ...openCors }).flat();

/**
 * Answers plain GETs of such routes of the license API as the Koa application would, header by header, at a fraction of its
 * cost: contexts, middleware and routing take longer than all that a verification itself does. What is in any way unusual goes
 * on to `otherwise`.
 */
export function createShortcut(
  { routes, quotaOf, count, reporter }: Shortcuts,
  otherwise: RequestListener,
): RequestListener {
  const byPath = new Map(
    routes.flatMap((route) => (route.answerQuery ? route.paths.map((path) => [path, route] as const) : [])),
  );

  const send = createOutbox();

  async function answer(request: IncomingMessage, response: ServerResponse, route: Route, path: string, query: object) {
    const get = (header: string) => String(request.headers[header.toLowerCase()] ?? '');
    const { envelope, answerQuery, cacheControl = 'no-store' } = route;
    const state: State = { requestId: requestIdOf(get('X-Request-Id')), envelope, route: path };
    const started = performance.now();
    const headers = ['X-Request-Id', state.requestId, ...always];
    let status = 200;
    let body: object | undefined;
    try {
      const counted = await count?.('license', quotaOf(request, route));
      if (counted) add(headers, counted.headers);
      if (counted?.failure) throw counted.failure;
      body = await answerQuery?.(query, state);
      headers.push('Cache-Control', cacheControl);
    } catch (error) {
      const failure = reporter.failed(error, state);
      status = statusOf(failure.reason, envelope);
      body = bodyOf(failure, envelope);
      add(headers, failure.headers);
      headers.push('Cache-Control', 'no-store');
    }
    const ip = request.socket.remoteAddress ?? '';
    reporter.answered({ method: 'GET', path, status, ip, state, get }, (performance.now() - started) / 1000);
    const text = JSON.stringify(body);
    const length = Buffer.byteLength(text);
    headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(length));
    // What is ASCII alone is the same in Latin-1, which Node writes faster.
    send(() => response.writeHead(status, headers).end(text, length === text.length ? 'latin1' : 'utf8'));
  }

  return (request, response) => {
    const { method, url = '' } = request;
    const mark = url.indexOf('?');
    const path = url.slice(0, mark);
    const route = method === 'GET' ? byPath.get(path) : undefined;
    const query = route && plainQuery(url.slice(mark + 1));
    if (route === undefined || query === undefined) return otherwise(request, response);
    answer(request, response, route, path, query).catch((error) => {
      reporter.undelivered(error);
      response.destroy();
    });
  };
}

/** Sends what is answered in one turn together: a client that wakes up once for many answers costs both sides less. */
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

function add(headers: string[], more: Readonly<Record<string, string>>): void {
  for (const name in more) headers.push(name, more[name] ?? '');
}

/** The parameters of a query, as Koa reads it, in which each stands once. */
function plainQuery(text: string): object | undefined {
  const query = parse(text);
  return Object.values(query).some(Array.isArray) ? undefined : query;
}
