import type { Logger } from 'pino';
import type { CounterArchive } from '../../../adapters/contracts/counter-archive.ts';
import type { Readiness } from '../../../adapters/http/health.ts';
import { createCallCounter } from '../../../adapters/http/rate-limit.ts';
import { createMemoryRateLimiter, type MemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { clock, config, log } from '../chosen.ts';
import { keepSaving } from '../keeping.ts';
import { part } from '../part.ts';
import { instruments } from './observing.ts';
import { counterArchive } from './sql.ts';

/** Has `state` if it counts in Redis, `isShared` if it counts in another process, and `countNow` if it counts in this one. */
export interface ClosableLimiter extends RateLimiter {
  state?(): 'up' | 'down';
  isShared?(): boolean;
  readonly countNow?: MemoryRateLimiter['countNow'];
  close(): Promise<void>;
}

/** Counts calls as configured. */
export const rateLimiter = part(
  async ({ config, clock, archive, log }): Promise<ClosableLimiter> => {
    const { RATE_LIMIT_URL: place, DATABASE_URL: database } = config;
    switch (place.kind) {
      case 'redis': {
        const { openRedisRateLimiter } = await import('../../../adapters/limits/redis.ts');
        return await openRedisRateLimiter({ url: place.url, clock, log, fallback: createMemoryRateLimiter(clock) });
      }
      case 'memory':
      case 'off':
        // A database in memory starts without saved windows and keeps none.
        if (database.kind === 'memory') return { ...createMemoryRateLimiter(clock), close: async () => undefined };
        return await openArchived(clock, archive, log);
    }
  },
  { config, clock, archive: counterArchive, log },
  (limiter) => limiter.close(),
);

/** Without `count`, nothing is limited. */
export const callCounter = part(
  ({ config, limiter, clock, instruments, log }) => {
    const isRedis = limiter.state !== undefined;
    const isShared = () => limiter.isShared?.() ?? limiter.state?.() !== 'down';
    instruments.watchRateLimiter(isShared);
    const observe = (surface: string, allowed: boolean) =>
      instruments.rateLimited(surface, allowed, isRedis && isShared() ? 'redis' : 'memory');
    if (config.RATE_LIMIT_URL.kind === 'off') {
      log.info('calls are not limited; sign-in, mails, sign-in codes and orders are, by each process for itself');
      return { count: undefined };
    }
    return { count: createCallCounter(limiter, clock, observe) };
  },
  { config, limiter: rateLimiter, clock, instruments, log },
);

/** Reports if Redis is configured but unreachable. Then each process counts for itself. */
export const limiterWarnings = part(
  ({ limiter: { state } }): Readiness['checks'] => {
    if (state === undefined) return {};
    return {
      redis: async () => {
        if (state() === 'down') throw new Error('Redis is unreachable.');
      },
    };
  },
  { limiter: rateLimiter },
);

/** Counts in memory, but the long windows of accounts survive a restart. */
async function openArchived(clock: Clock, archive: CounterArchive, log: Logger): Promise<ClosableLimiter> {
  const limiter = createMemoryRateLimiter(clock, await archive.load(clock.now()));
  const save = async () => {
    const changed = limiter.changed();
    if (changed.length > 0) await archive.save(changed, clock.now());
  };
  return { ...limiter, ...keepSaving(save, log, 'counters not saved') };
}
