import { randomUUID } from 'node:crypto';
import type { PostgresOptions } from '../../adapters/sql/postgres/connection.ts';
import { openPostgres } from '../../adapters/sql/postgres/database.ts';
import { partitionActivations } from '../../adapters/sql/postgres/partition.ts';
import { openPostgresVerifier } from '../../adapters/sql/postgres/verifier.ts';
import type { Backend, Stores, StoresPlace } from './backends.ts';
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

/**
 * Makes a schema, which is emptied each time before it is opened again. That is much faster than the migrations of a
 * new one. `prepare` runs once, before it is opened for the first time.
 */
export async function makePostgresPlace(
  open: (url: string) => Promise<Stores>,
  prepare: (url: string) => Promise<void> = async () => undefined,
): Promise<StoresPlace> {
  const schema = await makeSchema();
  await prepare(schema.url);
  let isNew = true;
  return {
    async open() {
      if (!isNew) await runOnPostgres(schema.url, emptied);
      isNew = false;
      return await open(schema.url);
    },
    remove: schema.drop,
  };
}

/** Deletes all rows of a schema as new ones have none, and starts its sequences again. */
const emptied = `
  DO $$
  DECLARE
    one record;
    has_rows boolean;
    filled text[] := '{}';
  BEGIN
    FOR one IN
      SELECT oid::regclass AS name FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'schema_migrations'
    LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM %s)', one.name) INTO has_rows;
      IF has_rows THEN filled := filled || one.name::text; END IF;
    END LOOP;
    IF filled <> '{}' THEN EXECUTE 'TRUNCATE ' || array_to_string(filled, ', ') || ' CASCADE'; END IF;
    PERFORM setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
      FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL;
  END $$`;

const onPostgres = (name: string, prepare?: (url: string) => Promise<void>): Backend => ({
  name,
  skip: postgresServer.skip,
  make: () => makePostgresPlace(openPostgresStores, prepare),
});

/** Postgres with partitioned activations. */
export const partitionedPostgres = onPostgres('postgres, partitioned', async (url) => {
  const database = await openPostgres({ url, poolSize: 2, statementTimeout: 10_000 });
  await partitionActivations(database, 3);
  await database.close();
});

export const postgres = onPostgres('postgres');
