import { ContainerModule } from 'inversify';
import type { Logger } from 'pino';
import { createCallCounter, createRateLimit } from '../../adapters/http/rate-limit.ts';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { CounterArchive } from '../../core/ports/counter-archive.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { t } from '../tokens.ts';

/** Milliseconds between two savings of the long windows: a kill forgets no more than these. */
const archiveEvery = 1_000;

/** Where calls are counted: as configured, or, in a worker that shares its primary's memory, with what is given. */
export const limits = (given: RateLimiter | undefined) =>
  new ContainerModule(({ bind }) => {
    bind(t.rateLimiter)
      .toResolvedValue(
        async ({ RATE_LIMIT_URL: place }, clock, archive, log) => {
          if (given) return { ...given, close: async () => undefined };
          switch (place.kind) {
            case 'redis': {
              const { openRedisRateLimiter } = await import('../../adapters/redis/rate-limiter.ts');
              return await openRedisRateLimiter({
                url: place.url,
                clock,
                log,
                fallback: createMemoryRateLimiter(clock),
              });
            }
            case 'memory':
            case 'off':
              return await openArchived(clock, archive, log);
          }
        },
        [t.config, t.clock, t.counterArchive, t.log],
      )
      .onDeactivation((limiter) => limiter.close());
    bind(t.rateLimit).toResolvedValue(
      (config, limiter, clock, instruments) => {
        const isRedis = limiter.state !== undefined;
        const isShared = () => limiter.state?.() !== 'down';
        instruments.watchRateLimiter(isShared);
        const observe = (surface: 'license' | 'account', allowed: boolean) =>
          instruments.rateLimited(surface, allowed, isRedis && isShared() ? 'redis' : 'memory');
        if (config.RATE_LIMIT_URL.kind === 'off') return { count: undefined, limit: undefined };
        const count = createCallCounter(limiter, clock, observe);
        return { count, limit: createRateLimit(count) };
      },
      [t.config, t.rateLimiter, t.clock, t.instruments],
    );
  });

/** Memory, whose long windows outlive a restart. */
async function openArchived(clock: Clock, archive: CounterArchive, log: Logger) {
  const limiter = createMemoryRateLimiter(clock, await archive.load(clock.now()));
  const save = async () => {
    const changed = limiter.changed();
    if (changed.length === 0) return;
    await archive.save(changed, clock.now()).catch((error) => log.error({ err: error }, 'counters not saved'));
  };
  const timer = setInterval(save, archiveEvery).unref();
  return {
    ...limiter,
    async close() {
      clearInterval(timer);
      await save();
    },
  };
}
