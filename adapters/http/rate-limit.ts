import type { IncomingMessage } from 'node:http';
import ratelimit from 'koa-ratelimit';
import type { Clock, Instant } from '../../core/ports/clock.ts';
import type { Allowance, RateLimiter, WindowState } from '../../core/ports/rate-limiter.ts';
import type { ClientAddress } from './client-address.ts';
import { Failure } from './failures.ts';
import type { Context, Middleware } from './state.ts';

/** Who a call is counted against, and how many calls are allowed. */
export interface Quota {
  readonly subject: string;
  readonly allowances: readonly Allowance[];
}

/** A call that was counted. */
export interface CountedCall {
  /** The headers of the IETF draft, which name every window. */
  readonly headers: Readonly<Record<string, string>>;
  /** The window with the fewest calls left. */
  readonly tightest: WindowState;
  /** The failure that ends the call, if it exceeds a limit. */
  readonly failure: Failure | undefined;
}

/** Counts a call of a surface. With `peek` it only reads the windows, and the call always passes. */
export type CountCall = (surface: string, quota: Quota, options?: { readonly peek: boolean }) => Promise<CountedCall>;

/** `observe` is called for every counted call. */
export function createCallCounter(
  limiter: RateLimiter,
  clock: Clock,
  observe?: (surface: string, allowed: boolean) => void,
): CountCall {
  return async (surface, { subject, allowances }, { peek } = { peek: false }) => {
    const { allowed, windows } = await limiter.count(subject, allowances, { peek });
    if (!peek) observe?.(surface, allowed);
    const tightest = windows.reduce((one, other) => (isTighter(other, one) ? other : one));
    const now = clock.now();
    return {
      headers: {
        'RateLimit-Policy': policyOf(allowances),
        RateLimit: windows.map((window) => `${name(window)};r=${window.remaining};t=${wait(window, now)}`).join(', '),
      },
      tightest,
      failure: allowed || peek ? undefined : exceeded(wait(tightest, now)),
    };
  };
}

const policies = new WeakMap<readonly Allowance[], string>();

/** Makes the text once for each list of allowances: most callers have the same. */
function policyOf(allowances: readonly Allowance[]): string {
  let policy = policies.get(allowances);
  if (policy === undefined) {
    policy = allowances.map((one) => `${name(one)};q=${one.limit};w=${one.seconds}`).join(', ');
    policies.set(allowances, policy);
  }
  return policy;
}

/** The `X-RateLimit-*` headers, which koa-ratelimit sets for the calls that pass through it. */
export function customaryHeaders({ remaining, resetAt, limit }: WindowState): Readonly<Record<string, string>> {
  return {
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(inSeconds(resetAt)),
    'X-RateLimit-Limit': String(limit),
  };
}

/** Counts a call once more, if only its body says what it asks for. Its headers are then those of this quota. */
export async function countAlso(count: CountCall, surface: string, quota: Quota, ctx: Context): Promise<void> {
  const { headers, tightest, failure } = await count(surface, quota);
  ctx.set({ ...headers, ...customaryHeaders(tightest) });
  if (failure === undefined) return;
  ctx.state.exceeded = failure;
  throw failure;
}

const counted = new WeakMap<IncomingMessage, CountedCall>();

/** Passes on a call that was counted already, so that it is not counted again. */
export function passCounted(request: IncomingMessage, call: CountedCall): void {
  counted.set(request, call);
}

/**
 * Counts the calls of one surface, sets the rate limit headers, and throws `rate_limit_exceeded` if the quota is used
 * up. Preflights get the headers but are not counted. koa-ratelimit runs on our own counter, because none of its stores
 * can count in two windows.
 */
export function createRateLimit(count: CountCall, surface: string, quotaOf: (ctx: Context) => Quota): Middleware {
  const calls = new Map<string, Context>();
  let made = 0;
  return ratelimit({
    driver: 'redis',
    id(ctx) {
      const id = String(made++);
      calls.set(`limit:${id}`, ctx);
      return id;
    },
    db: {
      async ratelimiter(key) {
        const ctx = calls.get(key) as Context;
        calls.delete(key);
        const { headers, tightest, failure } =
          counted.get(ctx.req) ?? (await count(surface, quotaOf(ctx), { peek: isPreflight(ctx) }));
        ctx.set(headers);
        if (failure) ctx.state.exceeded = failure;
        return [failure ? 0 : tightest.remaining + 1, inSeconds(tightest.resetAt), tightest.limit];
      },
    },
    onLimited(ctx) {
      throw ctx.state.exceeded;
    },
  });
}

/** Makes a quota of `perMinute` calls for each client address. */
export function perAddress(
  name: string,
  clientAddress: ClientAddress,
  perMinute: number,
): (call: { readonly request: IncomingMessage }) => Quota {
  const allowances = [{ limit: perMinute, seconds: 60 }];
  return ({ request }) => ({ subject: `${name}:${clientAddress(request)}`, allowances });
}

function inSeconds(instant: Instant): number {
  return Math.ceil(instant / 1000);
}

/** Whether the call is a CORS preflight of a browser. Any other OPTIONS request counts as a call. */
function isPreflight(ctx: Context): boolean {
  return ctx.method === 'OPTIONS' && ctx.get('Origin') !== '' && ctx.get('Access-Control-Request-Method') !== '';
}

function exceeded(seconds: number): Failure {
  return new Failure('rate_limit_exceeded', {
    detail: `Too many requests. Try again in ${seconds} seconds.`,
    headers: { 'Retry-After': String(seconds) },
  });
}

/** Whole seconds until the window ends, at least 1. */
function wait({ resetAt }: WindowState, now: Instant): number {
  return Math.max(1, Math.ceil((resetAt - now) / 1000));
}

/** If both windows are used up, the one that ends later is tighter. */
function isTighter(one: WindowState, other: WindowState): boolean {
  if (one.remaining === 0 && other.remaining === 0) return one.resetAt > other.resetAt;
  return one.remaining < other.remaining;
}

function name({ seconds }: Allowance): string {
  return seconds === 86_400 ? '"day"' : seconds === 60 ? '"minute"' : `"${seconds}s"`;
}
