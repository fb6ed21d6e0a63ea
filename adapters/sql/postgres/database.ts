import { setTimeout } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import type pg from 'pg';
import { OutcomeUnknown } from '../../../core/outcome-unknown.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { askOnce } from '../ask-once.ts';
import type { Database } from '../database.ts';
import { isConflict, translate } from '../errors.ts';
import { migrate, vacuumedAfter } from '../migrate.ts';
import type { Opening } from '../no-database.ts';
import { createParts, pace } from '../paced-writes.ts';
import { transact } from '../transact.ts';
import { hostsOf, type PostgresOptions, placeOf } from './connection.ts';
import { nameReads } from './named-reads.ts';
import { beginDirect, commitDurably, limitTransaction, needsPooledWay, type Route, type Way } from './pooling.ts';
import { createRetirement } from './retired-connections.ts';
import { createSeeker } from './seeker.ts';
import { oldestSnapshot } from './snapshots.ts';

/** A Postgres database with a pool of connections. */
export interface PostgresDatabase extends Database {
  readonly connections: Way;
  /** Counts used and free connections, and callers that wait for one. */
  pool(): { readonly used: number; readonly free: number; readonly pending: number };
  /** See `oldestSnapshot`. */
  oldestSnapshot(): Promise<number>;
}

export const driver = {
  client: 'pg',
  acquireConnectionTimeout: 5_000,
  compileSqlOnError: false, // Otherwise errors would contain the values of the statement.
  // Errors are thrown. Knex would print them on standard output as well.
  log: { warn: () => undefined, error: () => undefined },
};

const attempts = 10;

/** Fails if the database is read-only, or if this user may not write. Locks no row and writes nothing. */
export const writeNothing = 'SELECT 1 FROM activations WHERE false FOR UPDATE';
/** In milliseconds. */
const checkTimeout = 2_500;

/**
 * Opens a Postgres database and runs the missing migrations. If there is no schema, creates it, or throws `NoDatabase`
 * if `mustExist` is set.
 */
export async function openPostgres(
  options: PostgresOptions,
  { mustExist = false }: Opening = {},
): Promise<PostgresDatabase> {
  const retirement = createRetirement();
  const hosts = hostsOf(options);
  const seek = createSeeker(hosts);
  let route = await translate(seek);
  /** Whether the next connection must first search again for the host and for a pooler. */
  let mustSeek = false;
  let isFirst = true;
  const found = async () => {
    if (!isFirst) route = await seek();
    isFirst = mustSeek = false;
    return { ...route.settings, expirationChecker: () => mustSeek };
  };
  const begin = async (client: pg.Client) => {
    if (route.way === 'pooled') return;
    try {
      await beginDirect(client);
      nameReads(client);
    } catch (error) {
      await client.end();
      throw error;
    }
  };
  const connection = knex({
    ...driver,
    connection: found as unknown as () => object,
    pool: {
      min: 0,
      max: options.poolSize,
      // In the session mode of a pooler, an idle connection blocks a session for others.
      ...(route.way === 'pooled' && { idleTimeoutMillis: 1_000, reapIntervalMillis: 250 }),
      ...retirement.poolSettings(begin),
    },
  });
  retirement.follow(connection);
  const use = <T>(work: () => Promise<T>) =>
    translate(work).catch((error: unknown) => {
      const isOut = error instanceof Unavailable || error instanceof OutcomeUnknown;
      mustSeek ||= isOut && (hosts.length > 1 || needsPooledWay(error.cause));
      throw error;
    });
  const limited = limitTransaction(options.statementTimeout);
  const inTransaction = <T>(work: (trx: Knex.Transaction) => Promise<T>) =>
    route.way === 'direct'
      ? transact(connection, work)
      : transact(connection, async (trx) => {
          await trx.raw(`${limited}; ${commitDurably}`);
          return await work(trx);
        });
  // `use` surrounds all attempts, so that it also turns the last conflict into `Unavailable`.
  const write: Database['write'] = (work) =>
    use(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await inTransaction(work);
        } catch (error) {
          if (attempt === attempts || !isConflict(error)) throw error;
          await setTimeout(Math.random() * 2 ** attempt);
        }
      }
    });
  /** Settings for a connection outside the pool. */
  const aside = async () => (hosts.length > 1 ? await seek() : route).settings;
  const isFull = () => {
    const { pool } = connection.client;
    return pool.numFree() === 0 && pool.numUsed() + pool.numPendingCreates() >= options.poolSize;
  };
  const checkAside = async () => {
    await askOnce(await aside(), checkTimeout, (client) => client.query(writeNothing));
  };
  try {
    return {
      connections: route.way,
      migrated: await migrateOn(route, options, mustExist),
      read: (work) =>
        use(async () => {
          if (route.way === 'direct') return await work(connection);
          return await connection.transaction(async (trx) => {
            await trx.raw(limited);
            return await work(trx);
          });
        }),
      write,
      parts: createParts(pace.postgres),
      check: () =>
        use(async () => {
          // If all connections wait for a locked row, the database is still available.
          if (isFull()) return await checkAside();
          try {
            await connection.raw(writeNothing).timeout(checkTimeout);
          } catch (error) {
            if (error instanceof knex.KnexTimeoutError) retirement.retireAll();
            throw error;
          }
        }),
      pool: () => {
        const { pool } = connection.client;
        return { used: pool.numUsed(), free: pool.numFree(), pending: pool.numPendingAcquires() };
      },
      writeLong: async (work) => await withoutLimits(await aside(), longWrite(work)),
      vacuum: async (tables) => {
        const work = async () => await withoutLimits(await aside(), (unlimited) => vacuum(unlimited, tables));
        await work().catch(() => undefined);
      },
      oldestSnapshot: async () => await oldestSnapshot(await aside()),
      async close() {
        await retirement.settled();
        await connection.destroy();
      },
    };
  } catch (error) {
    await connection.destroy();
    throw error;
  }
}

/** Runs the migrations on a separate connection, because they may take long. */
async function migrateOn({ settings }: Route, options: PostgresOptions, mustExist: boolean) {
  const { server, database } = placeOf(options);
  const opening = { mustExist, place: `${server}/${database}`, patience: 4 * options.statementTimeout };
  return await withoutLimits(settings, async (connection) => {
    const ran = await migrate({ write: (work) => longWrite(work)(connection) }, opening);
    await vacuum(connection, vacuumedAfter(ran));
    return ran;
  });
}

/** Returns a function that runs the work in a transaction of a connection. */
function longWrite<T>(work: (trx: Knex.Transaction) => Promise<T>) {
  return (connection: Knex) => translate(() => transact(connection, work));
}

/** Uses a connection whose statements may take as long as they need. */
async function withoutLimits<T>(settings: Route['settings'], use: (connection: Knex) => Promise<T>): Promise<T> {
  const connection = knex({
    ...driver,
    connection: { ...settings, statement_timeout: 0, query_timeout: 0 } as object,
    pool: { min: 0, max: 1 },
  });
  try {
    return await use(connection);
  } finally {
    await connection.destroy();
  }
}

/** Leaves out tables that somebody else locks. If it fails, autovacuum does the same later. */
async function vacuum(connection: Knex, tables: readonly string[]): Promise<void> {
  if (tables.length > 0) await connection.raw(`VACUUM (ANALYZE, SKIP_LOCKED) ${tables}`).catch(() => undefined);
}
