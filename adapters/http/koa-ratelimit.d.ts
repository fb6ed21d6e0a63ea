declare module 'koa-ratelimit' {
  import type { Context, Middleware } from 'koa';

  /** `ratelimiter` answers what was left before the call, the end of the window in epoch seconds, and the limit. */
  export default function ratelimit(options: {
    driver: 'redis';
    /** Without headers of its own. */
    disableHeader: true;
    db: { ratelimiter(): Promise<[remaining: number, reset: number, total: number]> };
    id(ctx: Context): string;
    onLimited(ctx: Context): void;
  }): Middleware;
}
