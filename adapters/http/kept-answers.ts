import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Reporter, requestIdOf } from './exchange.ts';
import type { KeptAnswer, PageMemory } from './page-memory.ts';
import { type CountCall, customaryHeaders, passCounted } from './rate-limit.ts';
import { add, getterOf, isPlain } from './shortcut.ts';
import type { Context, State } from './state.ts';

/** Longer requests are not kept. Few links are so long. */
const longestName = 1_500;

/** A kept answer can differ by these request headers only. Requests with a session cookie get none. */
const allowedToVary = /^(?:accept|accept-encoding|cookie)$/i;

/** Headers that differ for each call. */
const ofCall = /^(?:x-request-id|ratelimit(?:-policy)?|x-ratelimit-.*|date|connection|keep-alive)$/i;

/** Headers that describe a body, which a 304 does not have. */
const ofBody = /^content-(?:type|length|encoding)$/i;

/** Returns the name under which the answer to a request is kept, or `undefined` if it is never kept. */
function nameOf({ method, url = '', headers }: IncomingMessage): string | undefined {
  if (method !== 'GET' || headers.cookie?.includes('session=')) return undefined;
  const name = `${url}\n${headers.accept ?? ''}\n${headers['accept-encoding'] ?? ''}`;
  return name.length <= longestName ? name : undefined;
}

/**
 * Returns a function to call when a request begins. It returns another one to call when the answer is ready: that keeps the
 * answer, if it is the same for all visitors.
 */
export function createAnswerKeeper(memory: PageMemory): (ctx: Context) => (() => void) | undefined {
  return (ctx) => {
    const name = nameOf(ctx.req);
    if (name === undefined) return undefined;
    const begun = memory.changes();
    return () => {
      const answer = answerOf(ctx);
      if (answer) memory.keepAnswer(name, answer, begun);
    };
  };
}

function answerOf({ status, body, state, res }: Context): KeptAnswer | undefined {
  const { sent, me, surface, envelope, route, endpoint } = state;
  const isKept = sent?.audience === 'kept' || sent?.audience === 'briefly';
  if (!isKept || me || status !== 200 || !Buffer.isBuffer(body) || res.hasHeader('Set-Cookie')) return undefined;
  const varies = String(res.getHeader('Vary') ?? '').split(/, */);
  if (surface === undefined || !varies.every((name) => name === '' || allowedToVary.test(name))) return undefined;
  const headers = Object.entries(res.getHeaders())
    .filter(([name]) => !ofCall.test(name))
    .map(([name, value]) => [name, String(value)] as const);
  return {
    surface,
    state: { envelope, ...(route !== undefined && { route }), ...(endpoint !== undefined && { endpoint }) },
    etag: String(res.getHeader('ETag')),
    body,
    headers: headers.flat(),
    unchanged: headers.filter(([name]) => !ofBody.test(name)).flat(),
  };
}

/** What answers from the memory need. */
export interface KeptAnswers {
  readonly memory: Pick<PageMemory, 'findAnswer'>;
  /** `undefined` if nothing is limited. */
  readonly count: CountCall | undefined;
  readonly reporter: Reporter;
}

/**
 * Answers from the memory, with the headers that the Koa application has sent before, at a fraction of its cost. It counts and
 * reports each call like the application. All other requests go to `otherwise`.
 */
export function answerFromMemory(
  { memory, count, reporter }: KeptAnswers,
  otherwise: RequestListener,
): RequestListener {
  return (request, response) => {
    const name = nameOf(request);
    const kept = name === undefined ? undefined : memory.findAnswer(name);
    const status = kept && isPlain(request) ? statusOf(kept, request) : undefined;
    if (kept === undefined || status === undefined) return otherwise(request, response);
    send(request, response, kept, status).catch((error) => {
      if (!response.headersSent) return otherwise(request, response);
      reporter.undelivered(error);
      response.destroy();
    });
  };

  async function send(request: IncomingMessage, response: ServerResponse, kept: KeptAnswer, status: 200 | 304) {
    const started = performance.now();
    const { surface, body, headers, unchanged } = kept;
    const counted = await count?.(surface.name, surface.quotaOf({ request, endpoint: undefined, caller: undefined }));
    if (counted?.failure) {
      passCounted(request, counted);
      return otherwise(request, response);
    }
    const get = getterOf(request);
    const state: State = { ...kept.state, requestId: requestIdOf(get('X-Request-Id')) };
    const all = ['X-Request-Id', state.requestId, ...(status === 200 ? headers : unchanged)];
    if (counted) add(add(all, counted.headers), customaryHeaders(counted.tightest));
    const path = request.url?.split('?', 1)[0] ?? '';
    reporter.answered({ method: 'GET', path, status, req: request, state, get }, (performance.now() - started) / 1000);
    response.writeHead(status, all).end(status === 200 ? body : undefined);
  }
}

/** Returns the status, or `undefined` if it takes more than a look to know if the client has this answer. */
function statusOf({ etag }: KeptAnswer, { headers }: IncomingMessage): 200 | 304 | undefined {
  const known = headers['if-none-match'];
  if (known === undefined && headers['if-modified-since'] === undefined) return 200;
  const isAsked = headers['cache-control'] === undefined || headers['cache-control'] === 'max-age=0';
  return known === etag && headers['if-modified-since'] === undefined && isAsked ? 304 : undefined;
}
