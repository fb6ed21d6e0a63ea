import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Redis } from 'ioredis';
import { type Channel, createSharedRateLimiter, shareRateLimiter } from '../../adapters/limits/cluster.ts';
import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import { openRedisRateLimiter } from '../../adapters/limits/redis.ts';
import { createManualClock, type ManualClock } from '../../adapters/node/manual-clock.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { freePort } from './free-port.ts';
import { startRedisCluster } from './redis-cluster.ts';
import { noRedisProcess, redisServer } from './redis-process.ts';
import { startSentinels } from './redis-sentinels.ts';

/** A kind of rate limiter that the contract suite runs on. */
export interface LimiterKind {
  readonly name: string;
  /** Why it cannot be tested here. */
  readonly skip?: string | undefined;
  /** Starts what all of its limiters count in. Answers what ends that. */
  prepare?(): Promise<() => Promise<void>>;
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

/** As in a cluster: the worker asks its primary, which counts in memory. */
const shared: LimiterKind = {
  name: 'memory, shared by processes',
  async open(start) {
    const clock = createManualClock(start);
    const line = new EventEmitter();
    const end = (sends: string, hears: string): Channel => ({
      send: (message) => void setImmediate(() => line.emit(sends, structuredClone(message))),
      onMessage: (listener) => void line.on(hears, listener),
    });
    shareRateLimiter(end('answer', 'question'), createMemoryRateLimiter(clock));
    const unused = { fallback: createMemoryRateLimiter(clock), timeout: 60_000 };
    const limiter = createSharedRateLimiter(end('question', 'answer'), unused);
    return { limiter, clock, close: async () => undefined };
  },
};

/** As while Redis is out: the fallback counts. */
const fallen: LimiterKind = {
  name: 'redis that is out',
  async open(start) {
    const clock = createManualClock(start);
    const url = `redis://127.0.0.1:${await freePort()}`;
    const limiter = await openRedisRateLimiter({ url, clock, fallback: createMemoryRateLimiter(clock) });
    return { limiter, clock, close: limiter.close };
  },
};

/** Servers that the tests start themselves, with a password. Their keys go with them. */
function started(name: string, start: () => Promise<{ readonly url: string; stop(): Promise<void> }>): LimiterKind {
  let url = '';
  return {
    name,
    skip: noRedisProcess(),
    async prepare() {
      const servers = await start();
      url = servers.url;
      return servers.stop;
    },
    async open(start) {
      const clock = createManualClock(start);
      const options = { url, clock, fallback: noFallback, namespace: `test-${randomUUID()}`, timeout: 10_000 };
      const limiter = await openRedisRateLimiter(options);
      return { limiter, clock, close: limiter.close };
    },
  };
}

const cluster = started('redis cluster', startRedisCluster);
const sentinel = started('redis behind a sentinel', () => startSentinels({ replicas: 0 }));

export const limiterKinds: readonly LimiterKind[] = [memory, shared, redis, cluster, sentinel, fallen];
