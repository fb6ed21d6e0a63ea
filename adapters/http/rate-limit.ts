import type Koa from 'koa';
import ratelimit from 'koa-ratelimit';
import type { Clock, Instant } from '../../core/ports/clock.ts';
import type { Allowance, RateLimiter, WindowState } from '../../core/ports/rate-limiter.ts';
import { Failure } from './failures.ts';
import type { Context } from './state.ts';

/** Whose calls are counted, against what. */
export interface Quota {
  readonly subject: string;
  readonly allowances: readonly Allowance[];
}

/** A call that was counted: what is told of its windows, and, where it may not pass, the failure that it ends with. */
export interface CountedCall {
  /** By the names of the IETF's draft, for each window, and by the customary ones, for the window with the least left. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tightest: WindowState;
  readonly failure: Failure | undefined;
}

/** Counts a call, or only looks how its windows stand (`peek`), which never fails. */
export type CountCall = (
  surface: 'license' | 'account',
  quota: Quota,
  options?: { readonly peek: boolean },
) => Promise<CountedCall>;

/** `observe` is told of every call that was counted. */
export function createCallCounter(
  limiter: RateLimiter,
  clock: Clock,
  observe?: (surface: 'license' | 'account', allowed: boolean) => void,
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
        'X-RateLimit-Remaining': String(tightest.remaining),
        'X-RateLimit-Reset': String(Math.ceil(tightest.resetAt / 1000)),
        'X-RateLimit-Limit': String(tightest.limit),
      },
      tightest,
      failure: allowed || peek ? undefined : exceeded(wait(tightest, now)),
    };
  };
}

/** Counts the call, tells on the response how the quota stands, and goes on, or fails with `rate_limit_exceeded`. */
export type RateLimit = (ctx: Context, quota: Quota, next: Koa.Next) => Promise<void>;

/** The limit as a middleware: koa-ratelimit over our own count. A preflight is shown the quota but not counted. */
export function createRateLimit(count: CountCall): RateLimit {
  return async (ctx, quota, next) => {
    const surface = ctx.state.envelope === 'account' ? 'account' : 'license';
    const { headers, tightest, failure } = await count(surface, quota, { peek: ctx.method === 'OPTIONS' });
    ctx.set(headers);
    const face = ratelimit({
      driver: 'redis',
      disableHeader: true,
      db: {
        ratelimiter: async () => [
          failure ? 0 : tightest.remaining + 1,
          Math.ceil(tightest.resetAt / 1000),
          tightest.limit,
        ],
      },
      id: () => quota.subject,
      onLimited() {
        throw failure;
      },
    });
    await face(ctx as Koa.Context, next);
  };
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
