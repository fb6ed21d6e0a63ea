import { setImmediate as nextTurn } from 'node:timers/promises';
import Koa from 'koa';
import { licenseEnvelope } from './envelopes.ts';
import { type Reporter, requestIdOf } from './exchange.ts';
import { type FailureResponse, noStore, responseTo } from './failure-response.ts';
import type { createAnswerKeeper } from './kept-answers.ts';
import { allHeaders } from './security-headers.ts';
import type { Context, Middleware, State } from './state.ts';
import { prefersPage, shortText } from './ui/send-page.ts';

/**
 * Creates the Koa application. `surfaceOf` returns the middleware for a path. All errors are caught here and sent in
 * the envelope of their surface. `keeper`: see `createAnswerKeeper`.
 * `sign` signs an answer if its request asks for that.
 */
export function createApp(
  surfaceOf: (path: string) => Middleware,
  reporter: Reporter,
  keeper?: ReturnType<typeof createAnswerKeeper>,
  sign?: (ctx: Context) => Promise<void>,
): Koa<State> {
  const app = new Koa<State>();
  app.on('error', reporter.undelivered);

  app.use(async (ctx, next) => {
    ctx.state.requestId = requestIdOf(ctx.get('X-Request-Id'));
    ctx.state.envelope = licenseEnvelope;
    ctx.set('X-Request-Id', ctx.state.requestId);
    ctx.set(noStore);
    ctx.set(allHeaders);
    const started = performance.now();
    const keep = keeper?.(ctx);
    try {
      await surfaceOf(ctx.path)(ctx, next);
    } catch (error) {
      const response = responseTo(error, ctx.state, reporter);
      ctx.set(response.headers);
      ctx.status = response.status;
      ctx.body = (await pageOf(ctx, response)) ?? response.body;
    }
    writeOut(ctx);
    await sign?.(ctx);
    keep?.();
    await closeUnlessRead(ctx);
    reporter.answered(ctx, (performance.now() - started) / 1000);
  });
  return app;
}

/** Returns the failure as a page, if the surface has pages and the client wants one. */
async function pageOf(ctx: Context, { status, failure }: FailureResponse): Promise<string | undefined> {
  const { surface } = ctx.state;
  if (surface?.renderFailure === undefined || !prefersPage(ctx)) return undefined;
  ctx.type = 'html';
  return await surface.renderFailure(ctx, status, failure);
}

/**
 * Turns a long answer into bytes. They are what a response keeps while its client reads slowly: a text would be copied
 * once more, and an object would stay in memory beside its JSON.
 */
function writeOut(ctx: Context): void {
  const { body } = ctx;
  const isJson = typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;
  const text = isJson ? JSON.stringify(body) : body;
  if (typeof text === 'string' && (isJson || text.length > shortText)) {
    ctx.body = text.length > shortText ? Buffer.from(text) : text;
  }
}

/** Closes the connection after the response if the body is still arriving: we do not read the rest. */
async function closeUnlessRead(ctx: Context): Promise<void> {
  if (ctx.req.complete || ctx.headerSent) return;
  await nextTurn(); // Node may still hold data that arrived with the headers.
  if (!ctx.req.complete) ctx.set('Connection', 'close');
}
