import type { RateLimiter } from '../../core/ports/rate-limiter.ts';

/** The options of every limiter that asks another process. */
export interface FallbackOptions {
  /** Counts while the other process does not respond. */
  readonly fallback: RateLimiter;
  readonly log?: {
    info(fields: object, text: string): void;
    warn(fields: object, text: string): void;
  };
  /** The timeout for a response in milliseconds. Default: 250. */
  readonly timeout?: number;
}
