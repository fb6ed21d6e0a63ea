import { createManualClock, type ManualClock } from '../../adapters/memory/clock.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';

/** A kind of rate limiter that the contract suite runs on. */
export interface LimiterKind {
  readonly name: string;
  /** Why it cannot be tested here. */
  readonly skip?: string | undefined;
  /** A limiter that has counted nothing, and the clock that it goes by. */
  open(start: Instant): Promise<{ readonly limiter: RateLimiter; readonly clock: ManualClock; close(): Promise<void> }>;
}

const memory: LimiterKind = {
  name: 'memory',
  async open(start) {
    const clock = createManualClock(start);
    return { limiter: createMemoryRateLimiter(clock), clock, close: async () => undefined };
  },
};

export const limiterKinds: readonly LimiterKind[] = [memory];
