import { setTimeout } from 'node:timers/promises';
import knex from 'knex';
import pg from 'pg';
import type { Database } from './database.ts';
import { isConflict, translate } from './errors.ts';
import { migrate } from './migrate.ts';

/** A database whose connections are pooled. */
export interface PostgresDatabase extends Database {
  /** How the connections stand, and how many wait for one. */
  pool(): { readonly used: number; readonly free: number; readonly pending: number };
}

/** How to reach a Postgres server. */
export interface PostgresOptions {
  /** `postgres://user:password@host/database`, with `sslmode` where TLS is wanted. */
  readonly url: string;
  /** Connections that this process may hold. */
  readonly poolSize: number;
  /** Milliseconds after which the server breaks a statement off. */
  readonly statementTimeout: number;
}

/** What connections of this process start with. */
export function connectionSettings({ url, statementTimeout }: PostgresOptions): pg.ClientConfig {
  return {
    connectionString: url,
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: statementTimeout,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'latchkey',
    types: { getTypeParser },
  };
}

const attempts = 10;

/** Opens a Postgres database, and brings its schema up to date. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresDatabase> {
  const connection = knex({
    client: 'pg',
    connection: connectionSettings(options) as object,
    pool: { min: 0, max: options.poolSize },
    acquireConnectionTimeout: 5_000,
    // What fails is thrown; Knex would print it on standard output as well.
    log: { warn: () => undefined, error: () => undefined },
  });
  const write: Database['write'] = async (work) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await translate(() => connection.transaction(work));
      } catch (error) {
        if (attempt === attempts || !isConflict(error)) throw error;
        await setTimeout(Math.random() * 2 ** attempt);
      }
    }
  };
  try {
    return {
      migrated: await migrate({ write }),
      read: (work) => translate(async () => await work(connection)),
      write,
      pool: () => {
        const { pool } = connection.client;
        return { used: pool.numUsed(), free: pool.numFree(), pending: pool.numPendingAcquires() };
      },
      close: () => connection.destroy(),
    };
  } catch (error) {
    await connection.destroy();
    throw error;
  }
}

const bigint = 20;

/** Counts and times fit a double; pg would give them as texts. */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === bigint ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser;
