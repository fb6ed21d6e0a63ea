import type { IncomingMessage } from 'node:http';
import ratelimit from 'koa-ratelimit';
import type { Clock, Instant } from '../../core/ports/clock.ts';
import type { Allowance, RateLimiter, WindowState } from '../../core/ports/rate-limiter.ts';
import type { ClientAddress } from './client-address.ts';
import { Failure } from './failures.ts';
import type { Context, Middleware } from './state.ts';

/** What a call is counted against: whose it is, and how many are allowed. */
export interface Quota {
  readonly subject: string;
  readonly allowances: readonly Allowance[];
}

/** A call that was counted. */
export interface CountedCall {
  /** Every window, in the headers of the IETF's draft. */
  readonly headers: Readonly<Record<string, string>>;
  /** The window with the least left. */
  readonly tightest: WindowState;
  /** The failure that the call ends with, if it may not pass. */
  readonly failure: Failure | undefined;
}

/** Counts a call of a surface. With `peek` it only looks how the windows stand, and the call may pass. */
export type CountCall = (surface: string, quota: Quota, options?: { readonly peek: boolean }) => Promise<CountedCall>;

/** `observe` is told of every call that was counted. */
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
        'RateLimit-Policy': windows.map((window) => `${name(window)};q=${window.limit};w=${window.seconds}`).join(', '),
        RateLimit: windows.map((window) => `${name(window)};r=${window.remaining};t=${wait(window, now)}`).join(', '),
      },
      tightest,
      failure: allowed || peek ? undefined : exceeded(wait(tightest, now)),
    };
  };
}

/** The customary headers, which koa-ratelimit sets for the calls that pass through it. */
export function customaryHeaders({ remaining, resetAt, limit }: WindowState): Readonly<Record<string, string>> {
  return {
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(inSeconds(resetAt)),
    'X-RateLimit-Limit': String(limit),
  };
}

/**
 * Counts the calls of one surface, tells in headers how the quota stands, and fails with `rate_limit_exceeded` when it is used up.
 * A preflight is told, but not counted. koa-ratelimit does this over our own count: none of its stores can count in two windows.
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
        const { headers, tightest, failure } = await count(surface, quotaOf(ctx), { peek: isPreflight(ctx) });
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

/** Counts the calls of each client address by the minute. */
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

/** What a browser asks before a call from another origin. Any other OPTIONS is a call like all. */
function isPreflight(ctx: Context): boolean {
  return ctx.method === 'OPTIONS' && ctx.get('Origin') !== '' && ctx.get('Access-Control-Request-Method') !== '';
}

function exceeded(seconds: number): Failure {
  return new Failure('rate_limit_exceeded', {
    detail: `Too many requests. Try again in ${seconds} seconds.`,
    headers: { 'Retry-After': String(seconds) },
  });
}

/** Whole seconds until the window is over. */
function wait({ resetAt }: WindowState, now: Instant): number {
  return Math.max(1, Math.ceil((resetAt - now) / 1000));
}

/** Of windows that are used up, the one that keeps the caller waiting longest. */
function isTighter(one: WindowState, other: WindowState): boolean {
  if (one.remaining === 0 && other.remaining === 0) return one.resetAt > other.resetAt;
  return one.remaining < other.remaining;
}

function name({ seconds }: Allowance): string {
  return seconds === 86_400 ? '"day"' : seconds === 60 ? '"minute"' : `"${seconds}s"`;
}
