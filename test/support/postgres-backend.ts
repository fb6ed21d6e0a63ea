import { randomUUID } from 'node:crypto';
import { openPostgres } from '../../adapters/sql/postgres.ts';
import { openPostgresVerifier } from '../../adapters/sql/postgres-verifier.ts';
import type { Backend, Stores } from './backends.ts';
import { requiredService } from './required-service.ts';
import { runOnPostgres } from './run-on-postgres.ts';
import { sqlStores } from './sql-stores.ts';

export const postgresServer = requiredService('TEST_POSTGRES_URL', 'Postgres');

/** A schema of its own on the server that `TEST_POSTGRES_URL` names, dropped at the end. */
export async function makeSchema(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const server = postgresServer.url ?? '';
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const run = (statement: string) => runOnPostgres(server, statement);
  await run(`CREATE SCHEMA ${name}`);
  const url = new URL(server);
  url.searchParams.set('options', `-c search_path=${name}`);
  return { url: url.href, drop: async () => void (await run(`DROP SCHEMA ${name} CASCADE`)) };
}

/** All stores on a Postgres database, whose rows stay when they are closed. */
export async function openPostgresStores(url: string): Promise<Stores> {
  const options = { url, poolSize: 5, statementTimeout: 10_000 };
  return sqlStores(await openPostgres(options), openPostgresVerifier(options));
}

export const postgres: Backend = {
  name: 'postgres',
  skip: postgresServer.skip,
  isLasting: true,
  async open() {
    const schema = await makeSchema();
    const stores = await openPostgresStores(schema.url);
    return {
      ...stores,
      async close() {
        await stores.close();
        await schema.drop();
      },
    };
  },
};
