declare module 'koa-ratelimit' {
  import type { Context, Middleware } from 'koa';

  /** Sets `X-RateLimit-Remaining`, `-Reset` and `-Limit`. */
  export default function ratelimit(options: {
    driver: 'redis';
    /**
     * `ratelimiter` returns the remaining calls before this one, the end of the window in epoch seconds, and the limit.
     */
    db: { ratelimiter(key: string): Promise<[remaining: number, reset: number, total: number]> };
    /** Names the call. `ratelimiter` gets this name with `limit:` before it. */
    id(ctx: Context): string;
    onLimited(ctx: Context): void;
  }): Middleware;
}
