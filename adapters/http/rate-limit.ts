import type Koa from 'koa';
import ratelimit from 'koa-ratelimit';
import type { Clock } from '../../core/ports/clock.ts';
import type { Allowance, RateLimiter, WindowState } from '../../core/ports/rate-limiter.ts';
import { Failure } from './failures.ts';
import type { Context } from './state.ts';

/** Whose calls are counted, against what. */
export interface Quota {
  readonly subject: string;
  readonly allowances: readonly Allowance[];
}

/**
 * Counts the call, tells on the response how the quota stands, and goes on, or fails with `rate_limit_exceeded`.
 * A preflight is shown the quota but not counted.
 */
export type RateLimit = (ctx: Context, quota: Quota, next: Koa.Next) => Promise<void>;

/** `observe` is told of every call that was counted. */
export function createRateLimit(
  limiter: RateLimiter,
  clock: Clock,
  observe?: (surface: 'license' | 'account', allowed: boolean) => void,
): RateLimit {
  return async (ctx, { subject, allowances }, next) => {
    const peek = ctx.method === 'OPTIONS';
    const { allowed, windows } = await limiter.count(subject, allowances, { peek });
    const passes = allowed || peek;
    if (!peek) observe?.(ctx.state.envelope === 'account' ? 'account' : 'license', allowed);
    const tightest = windows.reduce((one, other) => (isTighter(other, one) ? other : one));
    const wait = (window: WindowState) => Math.max(1, Math.ceil((window.resetAt - clock.now()) / 1000));
    ctx.set(
      'RateLimit-Policy',
      windows.map((window) => `${name(window)};q=${window.limit};w=${window.seconds}`).join(', '),
    );
    ctx.set('RateLimit', windows.map((window) => `${name(window)};r=${window.remaining};t=${wait(window)}`).join(', '));
    const face = ratelimit({
      driver: 'redis',
      db: {
        ratelimiter: async () => [
          passes ? tightest.remaining + 1 : 0,
          Math.ceil(tightest.resetAt / 1000),
          tightest.limit,
        ],
      },
      id: () => subject,
      onLimited() {
        const seconds = wait(tightest);
        throw new Failure('rate_limit_exceeded', {
          detail: `Too many requests. Try again in ${seconds} seconds.`,
          headers: { 'Retry-After': String(seconds) },
        });
      },
    });
    await face(ctx as Koa.Context, next);
  };
}

/** Of windows that are used up, the one that keeps the caller waiting longest. */
function isTighter(one: WindowState, other: WindowState): boolean {
  if (one.remaining === 0 && other.remaining === 0) return one.resetAt > other.resetAt;
  return one.remaining < other.remaining;
}

function name({ seconds }: Allowance): string {
  return seconds === 86_400 ? '"day"' : seconds === 60 ? '"minute"' : `"${seconds}s"`;
}
