import { ContainerModule } from 'inversify';
import type { Logger } from 'pino';
import type { CounterArchive } from '../../../adapters/counter-archive.ts';
import type { Readiness } from '../../../adapters/http/health.ts';
import { createCallCounter } from '../../../adapters/http/rate-limit.ts';
import { createMemoryRateLimiter } from '../../../adapters/limits/memory.ts';
import type { SharedRateLimiter } from '../../../adapters/limits/workers.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { createCounterSaver } from '../counter-saver.ts';
import { t } from '../tokens.ts';

/** Interval between two saves of the accounts' long windows, in milliseconds. If the process is killed, at most the calls of this time are lost. */
const archiveEvery = 1_000;

/** Counts calls as configured. A worker that shares the memory of its primary passes the limiter that counts there. */
export const limits = (given: SharedRateLimiter | undefined) =>
  new ContainerModule(({ bind }) => {
    bind(t.rateLimiter)
      .toResolvedValue(
        async ({ RATE_LIMIT_URL: place, DATABASE_URL: database }, clock, archive, log) => {
          if (given) return { ...given, close: doNothing };
          switch (place.kind) {
            case 'redis': {
              const { openRedisRateLimiter } = await import('../../../adapters/limits/redis.ts');
              return await openRedisRateLimiter({
                url: place.url,
                clock,
                log,
                fallback: createMemoryRateLimiter(clock),
              });
            }
            case 'memory':
            case 'off':
              // A database in memory starts without saved windows and keeps none.
              if (database.kind === 'memory') return { ...createMemoryRateLimiter(clock), close: doNothing };
              return await openArchived(clock, archive, log);
          }
        },
        [t.config, t.clock, t.counterArchive, t.log],
      )
      .onDeactivation((limiter) => limiter.close());
    bind(t.callCounter).toResolvedValue(
      (config, limiter, clock, instruments) => {
        const isRedis = limiter.state !== undefined;
        const isShared = () => limiter.isShared?.() ?? limiter.state?.() !== 'down';
        instruments.watchRateLimiter(isShared);
        const observe = (surface: string, allowed: boolean) =>
          instruments.rateLimited(surface, allowed, isRedis && isShared() ? 'redis' : 'memory');
        if (config.RATE_LIMIT_URL.kind === 'off') return { count: undefined };
        return { count: createCallCounter(limiter, clock, observe) };
      },
      [t.config, t.rateLimiter, t.clock, t.instruments],
    );
    bind(t.limiterWarnings).toResolvedValue(redisWarning, [t.rateLimiter]);
  });

const doNothing = async () => undefined;

/** Counts in memory, but the long windows of accounts survive a restart. */
async function openArchived(clock: Clock, archive: CounterArchive, log: Logger) {
  const limiter = createMemoryRateLimiter(clock, await archive.load(clock.now()));
  const saver = createCounterSaver(limiter, archive, clock, log);
  const timer = setInterval(saver.save, archiveEvery).unref();
  return {
    ...limiter,
    async close() {
      clearInterval(timer);
      await saver.finish();
    },
  };
}

/** Reports if Redis is configured but unreachable. Then each process counts for itself. */
function redisWarning({ state }: { readonly state?: () => 'up' | 'down' }): Readiness['checks'] {
  if (state === undefined) return {};
  return {
    redis: async () => {
      if (state() === 'down') throw new Error('Redis is unreachable.');
    },
  };
}
