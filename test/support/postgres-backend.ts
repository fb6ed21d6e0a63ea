import { randomUUID } from 'node:crypto';
import type { PostgresOptions } from '../../adapters/sql/postgres/connection.ts';
import { openPostgres } from '../../adapters/sql/postgres/database.ts';
import { partitionActivations } from '../../adapters/sql/postgres/partition.ts';
import { openPostgresVerifier } from '../../adapters/sql/postgres/verifier.ts';
import type { Backend, Stores } from './backends.ts';
import { requiredService } from './required-service.ts';
import { runOnPostgres } from './run-on-postgres.ts';
import { sqlStores } from './sql-stores.ts';

export const postgresServer = requiredService('TEST_POSTGRES_URL', 'Postgres');

/** Creates a new schema on the server of `TEST_POSTGRES_URL`. `drop` deletes it. */
export async function makeSchema(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const server = postgresServer.url ?? '';
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const run = (statement: string) => runOnPostgres(server, statement);
  await run(`CREATE SCHEMA ${name}`);
  const url = new URL(server);
  url.searchParams.set('options', `-c search_path=${name}`);
  return { url: url.href, drop: async () => void (await run(`DROP SCHEMA ${name} CASCADE`)) };
}

/** Creates a new database on the same server, for tests that need more than a schema. */
export async function makeDatabase() {
  const url = new URL(postgresServer.url ?? '');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const run = (statement: string) => runOnPostgres(postgresServer.url ?? '', statement);
  await run(`CREATE DATABASE ${name}`);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    /** Changes a setting for new connections. */
    set: async (setting: string) => void (await run(`ALTER DATABASE ${name} SET ${setting}`)),
    /** Ends all connections, and waits until they have ended. */
    terminate: async () =>
      void (await run(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`)),
    drop: async () => void (await run(`DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

/** Opens all stores on a Postgres database. Closing them does not delete the rows. */
export async function openPostgresStores(
  url: string,
  more: Pick<PostgresOptions, 'lockTimeout'> = {},
): Promise<Stores> {
  const options = { url, poolSize: 5, statementTimeout: 10_000, ...more };
  return sqlStores(await openPostgres(options), openPostgresVerifier(options));
}

/** Opens stores on a new schema. `prepare` runs first. */
const onPostgres = (name: string, prepare: (url: string) => Promise<void>): Backend => ({
  name,
  skip: postgresServer.skip,
  async open() {
    const schema = await makeSchema();
    await prepare(schema.url);
    const stores = await openPostgresStores(schema.url);
    return {
      ...stores,
      async close() {
        await stores.close();
        await schema.drop();
      },
    };
  },
});

/** Postgres with partitioned activations. */
export const partitionedPostgres = onPostgres('postgres, partitioned', async (url) => {
  const database = await openPostgres({ url, poolSize: 2, statementTimeout: 10_000 });
  await partitionActivations(database, 3);
  await database.close();
});

export const postgres = onPostgres('postgres', async () => undefined);
