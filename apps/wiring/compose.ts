// Inversify needs it, and leaves it to the program.
import 'reflect-metadata/lite';
import { Container } from 'inversify';
import type { Logger } from 'pino';
import type { Signer } from '../../adapters/contracts/signer.ts';
import type { Render } from '../../adapters/files/pictures/render.ts';
import type { SharedRateLimiter } from '../../adapters/limits/workers.ts';
import type { Argon2Cost } from '../../adapters/node/argon2.ts';
import { systemClock } from '../../adapters/node/clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { createLongWork } from '../../adapters/queue.ts';
import type { Opening } from '../../adapters/sql/no-database.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { type Config, silenceAwsWarning } from './config.ts';
import { inMemoryAdvice, installAdvice, loadDriver, sqliteAdvice } from './load-driver.ts';
import { createLog } from './log.ts';
import type { CreateDispatcher, CreateWorker } from './modules/work.ts';
import { bindOnce, give, type Part } from './part.ts';
import { bindSurfaces } from './surfaces.ts';
import { t } from './tokens.ts';

/** The parts of the service, as configured. Each part is made at its first use. */
export interface Parts {
  get<T>(part: Part<T>): Promise<T>;
  /** Closes all parts that were made. */
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
  readonly render?: Render | undefined;
}

export async function compose(config: Config, given: Given = {}): Promise<Parts> {
  const container = await containerOf(config, given);
  give(container, t.secrets, systemSecrets);
  give(container, t.longWork, createLongWork());
  give(container, t.passwordCost, given.passwordCost);
  // A worker that shares the memory of its primary passes the limiter that counts there.
  if (given.rateLimiter) give(container, t.rateLimiter, { ...given.rateLimiter, close: async () => undefined });
  if (given.createWorker) give(container, t.createWorker, given.createWorker);
  if (given.createDispatcher) give(container, t.createDispatcher, given.createDispatcher);
  if (given.render) give(container, t.render, given.render);
  await chooseDatabase(container, config, given);
  await chooseStorage(container, config.FILES_URL);
  bindSurfaces(container, config.SURFACE);
  return {
    get: from(container),
    async close() {
      try {
        // Closed first, because they then write to the stores.
        for (const { id } of [t.usageMeter, t.rateLimiter]) if (container.isBound(id)) await container.unbindAsync(id);
      } finally {
        await container.unbindAllAsync();
      }
    },
  };
}

/** Composes only the file storage, for work before there is a database. */
export async function composeFiles(config: Config, signer: Signer): Promise<Parts> {
  const container = await containerOf(config, {});
  give(container, t.signer, signer);
  await chooseStorage(container, config.FILES_URL);
  return { get: from(container), close: () => container.unbindAllAsync() };
}

function from(container: Container): Parts['get'] {
  return async (part) => {
    bindOnce(container, part);
    return await container.getAsync(part.id);
  };
}

async function containerOf(config: Config, { clock, log }: Given): Promise<Container> {
  const container = new Container({ defaultScope: 'Singleton' });
  give(container, t.config, config);
  give(container, t.clock, clock ?? systemClock);
  give(container, t.log, log ?? (await createLog(config)));
  return container;
}

/** Loads only the configured driver. */
async function chooseDatabase(container: Container, config: Config, opening: Opening): Promise<void> {
  const { DATABASE_URL: database, DATABASE_READ_URL: replicaUrl } = config;
  switch (database.kind) {
    case 'memory':
      await loadDriver(loadSqlite, inMemoryAdvice);
      return (await import('./modules/sqlite.ts')).inMemory(container);
    case 'sqlite':
      await loadDriver(loadSqlite, sqliteAdvice);
      return (await import('./modules/sqlite.ts')).inSqlite(container, database.path, opening);
    case 'postgres': {
      const { DATABASE_POOL_SIZE: poolSize, DATABASE_STATEMENT_TIMEOUT: seconds } = config;
      const options = { url: database.url, poolSize, statementTimeout: seconds * 1000 };
      return (await import('./modules/postgres.ts')).onPostgres(container, options, replicaUrl, opening);
    }
  }
}

/**
 * Imports the driver alone. If it failed inside another module's import, Node 20 would also report the error as
 * uncaught.
 */
const loadSqlite = () => import('sqlite3');

const awsAdvice = installAdvice('FILES_URL=s3://…', 'the AWS SDK', '@aws-sdk');

async function chooseStorage(container: Container, place: Config['FILES_URL']): Promise<void> {
  switch (place.kind) {
    case 'disk':
      return (await import('./modules/disk.ts')).onDisk(container, place.folder);
    case 'temporary':
      return (await import('./modules/disk.ts')).onDisk(container, undefined);
    case 's3':
      silenceAwsWarning();
      return (await loadDriver(() => import('./modules/s3.ts'), awsAdvice)).inBucket(container, place.location);
  }
}
