import type { Knex } from 'knex';
import type { ObserveBatch } from '../batch.ts';
import type { Database } from '../database.ts';
import { translate } from '../errors.ts';
import { migrateAtOnce } from '../migrate.ts';
import { createParts, pace } from '../paced-writes.ts';
import { transact } from '../transact.ts';
import { createVerifier, type Verifier } from '../verifier.ts';
import { openClient } from './client.ts';
import { execute } from './connection.ts';
import { type Added, addCounts, type Read, readFacts, tablesOn } from './verification-tables.ts';

/** Nothing is written to disk, not even temporary data for sorting. */
const pragmas = 'PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY';

/** The schema of the first database in this process. Later databases start with it, which is faster than migrations. */
let made: { readonly script: string; readonly migrated: readonly string[] } | undefined;

/**
 * Opens an empty database in memory. Its content is lost when it is closed. It has only one connection. So reads wait
 * for the end of a transaction, and never see its uncommitted changes.
 */
export async function openSqliteInMemory(): Promise<Database> {
  const known = made;
  const connection = openClient(':memory:', (raw) => execute(raw, `${pragmas}; ${known?.script ?? ''}`));
  const write: Database['write'] = (work) => translate(() => transact(connection, work));
  const read: Database['read'] = (work) => translate(async () => await work(connection));
  try {
    const { migrated } = known ?? (await make(connection, write));
    return {
      migrated,
      read,
      write,
      parts: createParts(pace.sqlite),
      check: async () => void (await read((knex) => knex.raw('SELECT 1'))),
      close: () => connection.destroy(),
    };
  } catch (error) {
    await connection.destroy();
    throw error;
  }
}

async function make(connection: Knex, write: Database['write']) {
  const migrated = await write(migrateAtOnce);
  const statements: { readonly sql: string }[] = await connection('sqlite_schema')
    .whereNotNull('sql')
    .andWhere('name', 'not like', 'sqlite_%')
    // The tables of a full-text index are made with it.
    .whereRaw("name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')")
    .orderBy('rowid')
    .select('sql');
  const steps = await connection('schema_migrations');
  const filled = connection('schema_migrations').insert(steps).toString();
  made = { script: [...statements.map(({ sql }) => sql), filled].join(';\n'), migrated };
  return made;
}

/** Small, so that a service for tests starts quickly. */
const cacheSize = 1_000;

/** Verifies on the only connection of a database in memory. Takes turns with its transactions. */
export function openInMemoryVerifier({ read }: Pick<Database, 'read'>, observe?: ObserveBatch): Verifier {
  const tables = tablesOn({
    facts: (rows) => read<Read[]>((knex) => knex.raw(readFacts, [JSON.stringify(rows)])),
    counts: (rows) => read<Added[]>((knex) => knex.raw(addCounts, [JSON.stringify(rows)])),
  });
  return createVerifier({ ...tables, cacheSize, close: async () => undefined }, observe);
}
