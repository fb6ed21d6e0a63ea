import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openPostgres } from '../../adapters/sql/postgres.ts';
import { openPostgresVerifier } from '../../adapters/sql/postgres-verifier.ts';
import type { Backend } from './backends.ts';
import { requiredService } from './required-service.ts';
import { sqlStores } from './sql-stores.ts';

export const postgresServer = requiredService('TEST_POSTGRES_URL', 'Postgres');

/** A schema of its own on the server that `TEST_POSTGRES_URL` names, dropped at the end. */
export async function makeSchema(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const server = postgresServer.url ?? '';
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`CREATE SCHEMA ${name}`);
  const url = new URL(server);
  url.searchParams.set('options', `-c search_path=${name}`);
  return { url: url.href, drop: () => run(`DROP SCHEMA ${name} CASCADE`) };
}

export const postgres: Backend = {
  name: 'postgres',
  skip: postgresServer.skip,
  isLasting: true,
  async open() {
    const schema = await makeSchema();
    const options = { url: schema.url, poolSize: 5, statementTimeout: 10_000 };
    const stores = sqlStores(await openPostgres(options), openPostgresVerifier(options));
    return {
      ...stores,
      async close() {
        await stores.close();
        await schema.drop();
      },
    };
  },
};
