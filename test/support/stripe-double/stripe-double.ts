import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../../adapters/node/clock.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { type Account, createAccount } from './account.ts';
import { answerCall } from './api.ts';
import type { Delivered, Delivery } from './events.ts';
import { parseForm } from './form.ts';
import { answerPage } from './page.ts';
import { ApiTrouble } from './trouble.ts';

/** A call of the API as the double got it. */
export interface StripeCall {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | undefined;
  readonly headers: IncomingMessage['headers'];
  /** The parameters in the body or the query. */
  readonly form: URLSearchParams;
}

/**
 * The failure of the next call. `before` and `after` the effect: status 500, which is kept for the idempotency key.
 * `busy`: 429 without an effect. `cut`: the connection breaks after the effect. `hang`: no answer.
 */
export type Mishap = 'before' | 'after' | 'busy' | 'cut' | 'hang' | 'forbidden';

/** An imitation of Stripe with one account. `shapes.ts` says what is as in Stripe's documentation. */
export interface StripeDouble extends AsyncDisposable {
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** The settings of a service that takes payments here. */
  readonly settings: Readonly<Record<string, string>>;
  readonly account: Account;
  readonly calls: readonly StripeCall[];
  /** Lets the next call fail whose method and path contain this text. */
  failNext(call: string, mishap: Mishap): void;
  /** Sends all waiting events. */
  deliver(address: string, how?: Delivery): Promise<Delivered[]>;
}

interface DoubleOptions {
  readonly clock?: Clock;
  readonly secretKey?: string;
  readonly taxPercent?: number;
}

export async function startStripeDouble(options: DoubleOptions = {}): Promise<StripeDouble> {
  const { clock = systemClock, secretKey = 'sk_test_c4n4ry0123456789', taxPercent = 20 } = options;
  const webhookSecret = 'whsec_c4n4ry0123456789';
  const isLive = /^[rs]k_live_/.test(secretKey);
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const account = createAccount({ isLive, webhookSecret, clock, url, taxPercent });
  const calls: StripeCall[] = [];
  const mishaps: { readonly call: string; readonly mishap: Mishap }[] = [];
  const kept = new Map<string, { readonly request: string; readonly status: number; readonly body: string }>();

  /** Carries out a call, and returns the answer. */
  function carryOut(method: string, path: string, form: string, authorization = '') {
    if (authorization !== `Bearer ${secretKey}`) {
      const shown = authorization.replace('Bearer ', '').replace(/^(.{8}).*(.{4})$/, '$1****$2');
      throw new ApiTrouble(401, { message: `Invalid API Key provided: ${shown}` }, { isKept: false });
    }
    const answer = answerCall(account, method, path, parseForm(form));
    if (answer === undefined) {
      throw new ApiTrouble(404, { message: `Unrecognized request URL (${method}: ${path}).` }, { isKept: false });
    }
    return JSON.stringify(answer);
  }

  async function answerApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    const { pathname: path, search } = new URL(request.url ?? '', url());
    const form = method === 'POST' ? await text(request) : search.slice(1);
    const key = headers['idempotency-key'];
    const idempotencyKey = Array.isArray(key) ? key[0] : key;
    calls.push({ method, path, idempotencyKey, headers, form: new URLSearchParams(form) });
    const send = (status: number, body: string, more: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': `req_${calls.length}`, ...more })
        .end(body);
    const told = `${method} ${path}`;
    const at = mishaps.findIndex(({ call }) => told.includes(call));
    const mishap = at < 0 ? undefined : mishaps.splice(at, 1)[0]?.mishap;
    if (mishap === 'hang') return;
    if (mishap === 'busy') return void send(429, problem(429, { code: 'rate_limit', message: 'Too many requests.' }));

    const known = method === 'POST' && idempotencyKey !== undefined ? kept.get(idempotencyKey) : undefined;
    const asked = `${told} ${form}`;
    if (known !== undefined && known.request !== asked) {
      const message =
        'Keys for idempotent requests can only be used with the same parameters they were first used with.';
      return void send(400, problem(400, { type: 'idempotency_error', message }));
    }
    if (mishap === 'forbidden') {
      const message = 'The provided key does not have the required permissions for this endpoint.';
      return void send(403, problem(403, { code: 'more_permissions_required_for_application', message }));
    }
    const noRetry = { 'Stripe-Should-Retry': 'false' };
    if (known !== undefined) {
      const more = known.status >= 500 ? noRetry : {};
      return void send(known.status, known.body, { 'Idempotent-Replayed': 'true', ...more });
    }
    let [status, body] = [200, ''];
    let isKept = true;
    try {
      if (mishap !== 'before') body = carryOut(method, path, form, headers.authorization);
    } catch (error) {
      if (!(error instanceof ApiTrouble)) throw error;
      ({ status, isKept } = error);
      body = problem(status, error.error);
    }
    if (mishap === 'before' || mishap === 'after') {
      [status, body] = [500, problem(500, { type: 'api_error', message: 'An unknown error occurred.' })];
    }
    if (method === 'POST' && idempotencyKey !== undefined && isKept) {
      kept.set(idempotencyKey, { request: asked, status, body });
    }
    if (mishap === 'cut') return void request.socket.destroy();
    send(status, body, status >= 500 ? noRetry : {});
  }

  const server = createServer((request, response) => {
    const answer = request.url?.startsWith('/v1/') ? answerApi : answerPage(account);
    answer(request, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: url(),
    secretKey,
    webhookSecret,
    settings: {
      PAYMENTS_URL: 'stripe:',
      STRIPE_API_URL: url(),
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
    },
    account,
    calls,
    failNext: (call, mishap) => void mishaps.push({ call, mishap }),
    deliver: (address, how) => account.outbox.deliver(address, how),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function problem(status: number, error: Readonly<Record<string, string>>): string {
  return JSON.stringify({ error: { type: status === 429 ? 'invalid_request_error' : undefined, ...error } });
}
