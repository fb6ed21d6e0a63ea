import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createManualClock, type ManualClock } from '../../adapters/memory/clock.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import { openRedisRateLimiter } from '../../adapters/redis/rate-limiter.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { requiredService } from './required-service.ts';

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

export const redisServer = requiredService('TEST_REDIS_URL', 'Redis');

/** A fallback for where Redis must do the counting. */
export const noFallback: RateLimiter = {
  count: async () => {
    throw new Error('Redis did not count.');
  },
};

/** Keys of its own on the server that `TEST_REDIS_URL` names, and a connection to look at them, which deletes them at the end. */
export function makeNamespace() {
  const namespace = `test-${randomUUID()}`;
  const client = new Redis(redisServer.url ?? '');
  const keys = async () => {
    const found = new Set<string>();
    for await (const some of client.scanStream({ match: `${namespace}:*`, count: 1_000 })) {
      for (const key of some) found.add(key);
    }
    return [...found].sort();
  };
  return {
    namespace,
    client,
    keys,
    async remove() {
      for (const key of await keys()) await client.unlink(key);
      await client.quit();
    },
  };
}

const redis: LimiterKind = {
  name: 'redis',
  skip: redisServer.skip,
  async open(start) {
    const clock = createManualClock(start);
    const { namespace, remove } = makeNamespace();
    const url = redisServer.url ?? '';
    const limiter = await openRedisRateLimiter({ url, clock, fallback: noFallback, namespace, timeout: 10_000 });
    return {
      limiter,
      clock,
      async close() {
        await limiter.close();
        await remove();
      },
    };
  },
};

export const limiterKinds: readonly LimiterKind[] = [memory, redis];
