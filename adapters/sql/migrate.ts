import type { Knex } from 'knex';
import { type Database, isPostgres } from './database.ts';
import { migrations } from './migrations/index.ts';

/** A step of the schema. Its name is its place in the order, and never changes once it is released. */
export interface Migration {
  readonly name: string;
  up(trx: Knex.Transaction): Promise<void>;
}

const table = 'schema_migrations';
/** What processes that start at once agree on; SQLite has but one writer anyway. */
const lock = 1_279_609_416;

/**
 * Brings the schema up to date, each step in a transaction of its own that holds the write lock, so that several
 * processes may start at once. Answers the steps that it took. A database newer than the program is refused.
 */
export async function migrate({ write }: Pick<Database, 'write'>): Promise<string[]> {
  const taken: string[] = [];
  for (const { name, up } of migrations) {
    await write(async (trx) => {
      if (isPostgres(trx)) await trx.raw('SELECT pg_advisory_xact_lock(?)', [lock]);
      const applied = await appliedIn(trx);
      if (applied.has(name)) return;
      await up(trx);
      await trx(table).insert({ name, applied_at: trx.raw('CURRENT_TIMESTAMP') });
      taken.push(name);
    });
  }
  return taken;
}

async function appliedIn(trx: Knex.Transaction): Promise<Set<string>> {
  if (!(await trx.schema.hasTable(table))) {
    await trx.schema.createTable(table, (columns) => {
      columns.string('name').primary();
      columns.string('applied_at').notNullable();
    });
  }
  const applied = new Set<string>(await trx(table).pluck('name'));
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = [...applied].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new NewerDatabase(
      `The database is newer than this program: it has had the step ${unknown[0]}. Start the newer program, or restore a backup.`,
    );
  }
  return applied;
}

/** The database was brought up to date by a later version of the program. */
export class NewerDatabase extends Error {
  override readonly name = 'NewerDatabase';
}
