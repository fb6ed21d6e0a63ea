import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Redis } from 'ioredis';
import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import { openRedisRateLimiter } from '../../adapters/limits/redis.ts';
import { type Channel, createSharedRateLimiter, shareRateLimiter } from '../../adapters/limits/workers.ts';
import { createManualClock, type ManualClock } from '../../adapters/node/manual-clock.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { freePort } from './free-port.ts';
import { startRedisCluster } from './redis-cluster.ts';
import { noRedisProcess, redisServer } from './redis-process.ts';
import { startSentinels } from './redis-sentinels.ts';

/** A rate limiter on which the contract suite runs. */
export interface LimiterKind {
  readonly name: string;
  /** The reason if it cannot be tested here. */
  readonly skip?: string | undefined;
  /** Starts the servers that its limiters use. Returns a function that stops them. */
  prepare?(): Promise<() => Promise<void>>;
  /** Opens a limiter without counts, and its clock. */
  open(start: Instant): Promise<{ readonly limiter: RateLimiter; readonly clock: ManualClock; close(): Promise<void> }>;
}

const memory: LimiterKind = {
  name: 'memory',
  async open(start) {
    const clock = createManualClock(start);
    return { limiter: createMemoryRateLimiter(clock), clock, close: async () => undefined };
  },
};

/** A fallback that throws, for tests in which Redis must count. */
export const noFallback: RateLimiter = {
  count: async () => {
    throw new Error('Redis did not count.');
  },
};

/**
 * Creates a namespace of keys on the server of `TEST_REDIS_URL`, and a connection that reads them and finally deletes
 * them.
 */
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

/** As with several workers: the worker asks the primary process, which counts in memory. */
const shared: LimiterKind = {
  name: 'memory, shared by processes',
  async open(start) {
    const clock = createManualClock(start);
    const line = new EventEmitter();
    const end = (sends: string, hears: string): Channel => ({
      send: (message) => void setImmediate(() => line.emit(sends, structuredClone(message))),
      onMessage: (listener) => void line.on(hears, listener),
    });
    shareRateLimiter(end('answer', 'question'), createMemoryRateLimiter(clock).countNow);
    const unused = { fallback: createMemoryRateLimiter(clock), timeout: 60_000 };
    const limiter = createSharedRateLimiter(end('question', 'answer'), unused);
    return { limiter, clock, close: async () => undefined };
  },
};

/** As during an outage of Redis: the fallback counts. */
const fallen: LimiterKind = {
  name: 'redis that is unreachable',
  async open(start) {
    const clock = createManualClock(start);
    const url = `redis://127.0.0.1:${await freePort()}`;
    const limiter = await openRedisRateLimiter({ url, clock, fallback: createMemoryRateLimiter(clock) });
    return { limiter, clock, close: limiter.close };
  },
};

/** Limiters on servers that the tests start, with a password. Stopping the servers deletes the keys. */
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
