import { Container, type ContainerModule, type Newable } from 'inversify';
import type { Logger } from 'pino';
import type { SharedRateLimiter } from '../../adapters/limits/workers.ts';
import type { Argon2Cost } from '../../adapters/node/argon2.ts';
import { systemClock } from '../../adapters/node/clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import type { Signer } from '../../adapters/signer.ts';
import type { Opening } from '../../adapters/sql/no-database.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { type Config, silenceAwsWarning } from './config.ts';
import type { CreateDispatcher } from './dispatch.ts';
import { inMemoryAdvice, installAdvice, loadDriver, sqliteAdvice } from './load-driver.ts';
import { createLog } from './log.ts';
import { buying } from './modules/buying.ts';
import { core } from './modules/core.ts';
import { files } from './modules/files.ts';
import { http } from './modules/http.ts';
import { limits } from './modules/limits.ts';
import { mail } from './modules/mail.ts';
import { metrics } from './modules/metrics.ts';
import { payments } from './modules/payments.ts';
import { purchases } from './modules/purchases.ts';
import { sellingLicenses } from './modules/selling-licenses.ts';
import { signIn } from './modules/sign-in.ts';
import { system } from './modules/system.ts';
import { tracing } from './modules/tracing.ts';
import { usage } from './modules/usage.ts';
import { webhooks } from './modules/webhooks.ts';
import { surfaces } from './surfaces.ts';
import { t } from './tokens.ts';
import type { CreateWorker } from './work.ts';

/** The parts of the service, as configured. Each part is created at its first use. */
export interface Parts {
  get<T>(token: Newable<T>): Promise<T>;
  /** Closes all parts that were created. */
  close(): Promise<void>;
}

/** Replacements for parts of the service, and whether its database must already exist. */
interface Given extends Opening {
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly rateLimiter?: SharedRateLimiter;
  readonly createDispatcher?: CreateDispatcher | undefined;
  readonly createWorker?: CreateWorker | undefined;
  readonly passwordCost?: Argon2Cost | undefined;
}

export async function compose(config: Config, given: Given = {}): Promise<Parts> {
  const container = await containerOf(config, given);
  container.bind(t.secrets).toConstantValue(systemSecrets);
  await container.loadAsync(metrics, tracing(config.OTEL_EXPORTER_OTLP_ENDPOINT));
  await container.loadAsync(
    core,
    signIn(given.passwordCost),
    mail,
    files,
    limits(given.rateLimiter),
    usage,
    payments,
    purchases,
    buying,
    http(config.SURFACE),
    system,
    sellingLicenses,
    webhooks,
  );
  if (given.createWorker) container.rebind(t.createWorker).toConstantValue(given.createWorker);
  if (given.createDispatcher) container.rebind(t.createDispatcher).toConstantValue(given.createDispatcher);
  await container.loadAsync(...surfaces.map(({ module }) => module));
  await container.loadAsync(...(await stores(config, given)), await storage(config.FILES_URL));
  return {
    get: (token) => container.getAsync(token),
    async close() {
      try {
        // Closed first, because they then write to the stores.
        await container.unbindAsync(t.usageMeter);
        await container.unbindAsync(t.rateLimiter);
      } finally {
        await container.unbindAllAsync();
      }
    },
  };
}

/** Composes only the file storage, for work before there is a database. */
export async function composeFiles(config: Config, signer: Signer): Promise<Parts> {
  const container = await containerOf(config, {});
  container.bind(t.signer).toConstantValue(signer);
  await container.loadAsync(metrics, await storage(config.FILES_URL));
  return { get: (token) => container.getAsync(token), close: () => container.unbindAllAsync() };
}

async function containerOf(config: Config, { clock, log }: Given): Promise<Container> {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(t.config).toConstantValue(config);
  container.bind(t.clock).toConstantValue(clock ?? systemClock);
  container.bind(t.log).toConstantValue(log ?? (await createLog(config)));
  return container;
}

/** Loads only the configured driver. */
async function stores(
  {
    DATABASE_URL: database,
    DATABASE_READ_URL: replicaUrl,
    DATABASE_POOL_SIZE: poolSize,
    DATABASE_STATEMENT_TIMEOUT: seconds,
  }: Config,
  opening: Opening,
): Promise<ContainerModule[]> {
  switch (database.kind) {
    case 'memory':
      await loadDriver(loadSqlite, inMemoryAdvice);
      return [(await import('./modules/sql.ts')).sql, (await import('./modules/memory.ts')).memory];
    case 'sqlite':
      await loadDriver(loadSqlite, sqliteAdvice);
      return [
        (await import('./modules/sql.ts')).sql,
        (await import('./modules/sqlite.ts')).sqlite(database.path, opening),
      ];
    case 'postgres': {
      const { postgres } = await import('./modules/postgres.ts');
      const options = { poolSize, statementTimeout: seconds * 1000 };
      const { alone, replica } = await import('./modules/replica.ts');
      return [
        (await import('./modules/sql.ts')).sql,
        postgres({ ...options, url: database.url }, opening),
        replicaUrl === '' ? alone : replica({ ...options, url: replicaUrl }),
      ];
    }
  }
}

/**
 * Imports the driver alone. If it failed inside another module's import, Node 20 would also report the error as
 * uncaught.
 */
const loadSqlite = () => import('sqlite3');

const awsAdvice = installAdvice('FILES_URL=s3://…', 'the AWS SDK', '@aws-sdk');

async function storage(location: Config['FILES_URL']): Promise<ContainerModule> {
  switch (location.kind) {
    case 'disk':
      return (await import('./modules/disk.ts')).disk(location.folder);
    case 'temporary':
      return (await import('./modules/disk.ts')).disk(undefined);
    case 's3':
      silenceAwsWarning();
      return (await loadDriver(() => import('./modules/s3.ts'), awsAdvice)).s3(location.location);
  }
}
