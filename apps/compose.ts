import 'reflect-metadata';
import { Container, type ContainerModule, type Newable } from 'inversify';
import pino, { type Logger } from 'pino';
import { systemClock } from '../adapters/node/clock.ts';
import { systemSecrets } from '../adapters/node/secrets.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { RateLimiter } from '../core/ports/rate-limiter.ts';
import { type Config, silenceAwsWarning } from './config.ts';
import { accountApi } from './modules/account-api.ts';
import { core } from './modules/core.ts';
import { files } from './modules/files.ts';
import { http } from './modules/http.ts';
import { licenseApi } from './modules/license-api.ts';
import { limits } from './modules/limits.ts';
import { metrics } from './modules/metrics.ts';
import { tracing } from './modules/tracing.ts';
import { t } from './tokens.ts';

/** The parts of the service, wired as configured and made when they are first asked for. */
export interface Parts {
  get<T>(token: Newable<T>): Promise<T>;
  /** Closes what was opened. */
  close(): Promise<void>;
}

export async function compose(
  config: Config,
  given: { readonly clock?: Clock; readonly log?: Logger; readonly rateLimiter?: RateLimiter } = {},
): Promise<Parts> {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(t.config).toConstantValue(config);
  container.bind(t.clock).toConstantValue(given.clock ?? systemClock);
  container.bind(t.secrets).toConstantValue(systemSecrets);
  container.bind(t.log).toConstantValue(given.log ?? pino({ level: config.LOG_LEVEL }));
  await container.loadAsync(metrics, tracing(config.OTEL_EXPORTER_OTLP_ENDPOINT));
  await container.loadAsync(core, files, limits(given.rateLimiter), http(config.SURFACE), licenseApi, accountApi);
  await container.loadAsync(...(await stores(config)), await storage(config.FILES_URL));
  return {
    get: (token) => container.getAsync(token),
    async close() {
      await container.unbindAsync(t.rateLimiter); // It writes a last time, to what is closed next.
      await container.unbindAllAsync();
    },
  };
}

/** Loads no driver but the one that is named. */
async function stores({
  DATABASE_URL: database,
  DATABASE_POOL_SIZE: poolSize,
  DATABASE_STATEMENT_TIMEOUT: seconds,
}: Config): Promise<ContainerModule[]> {
  switch (database.kind) {
    case 'memory':
      return [(await import('./modules/memory.ts')).memory];
    case 'sqlite':
      return [(await import('./modules/sql.ts')).sql, (await import('./modules/sqlite.ts')).sqlite(database.path)];
    case 'postgres': {
      const { postgres } = await import('./modules/postgres.ts');
      const options = { url: database.url, poolSize, statementTimeout: seconds * 1000 };
      return [(await import('./modules/sql.ts')).sql, postgres(options)];
    }
  }
}

async function storage(location: Config['FILES_URL']): Promise<ContainerModule> {
  switch (location.kind) {
    case 'disk':
      return (await import('./modules/disk.ts')).disk(location.folder);
    case 'temporary':
      return (await import('./modules/disk.ts')).disk(undefined);
    case 's3':
      silenceAwsWarning();
      return (await import('./modules/s3.ts')).s3(location.location);
  }
}
