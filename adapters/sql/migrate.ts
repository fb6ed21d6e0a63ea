import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import { minute } from '../../core/time.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { type Database, isPostgres } from './database.ts';
import { isDeadlock, isLockTimeout } from './errors.ts';
import { migrations } from './migrations/index.ts';
import { NoDatabase, type Opening } from './no-database.ts';

/** One change of the schema. Migrations run in the order of their names. A released name never changes. */
export interface Migration {
  readonly name: string;
  /** Tables that Postgres vacuums after the migration. Until then, it cannot read only an index of them. */
  readonly vacuumed?: readonly string[];
  up(trx: Knex.Transaction): Promise<void>;
}

const table = 'schema_migrations';
/** Milliseconds beyond `patience` after which a short statement fails because the server does not answer. */
const grace = 1_000;

/**
 * Runs the missing migrations and returns their names. Each one runs in its own transaction with the write lock, so
 * that several processes may start at once. Throws `NewerDatabase` if the database is newer than the program. `place`
 * is the address of the database for messages, without user and password.
 *
 * On Postgres, a migration that waits for a lock makes all later users of the table wait too. So it waits for one
 * second, pauses for one second, and tries again. If another process is migrating, it waits for that process. It waits
 * for `patience` milliseconds in all, then it throws. If no migration is missing, it does not wait.
 */
export async function migrate(
  { write }: Pick<Database, 'write'>,
  {
    mustExist = false,
    place = '',
    patience = minute,
  }: Opening & { readonly place?: string; readonly patience?: number } = {},
): Promise<string[]> {
  const until = performance.now() + patience;
  const look = async (trx: Knex.Transaction) => {
    if (isPostgres(trx)) await limitWaits(trx, patience);
    const applied = await appliedIn(trx);
    if (mustExist && applied === undefined) throw new NoDatabase(place);
    return migrations.filter(({ name }) => !applied?.has(name));
  };
  const missing = await gettingLocks(until, () => write(look));
  const ran: string[] = [];
  for (const { name, up } of missing) {
    const run = async (trx: Knex.Transaction): Promise<Outcome> => {
      if (isPostgres(trx) && !(await lockMigrations(trx, patience))) return 'busy';
      const applied = (await appliedIn(trx)) ?? (await makeTable(trx));
      if (applied.has(name)) return 'ran before';
      await up(trx);
      await trx(table).insert({ name, applied_at: trx.raw('CURRENT_TIMESTAMP') });
      return 'ran';
    };
    const outcome = await gettingLocks(until, () => write(run));
    if (outcome === 'busy') throw new MigrationBusy(place, patience);
    if (outcome === 'ran') ran.push(name);
  }
  return ran;
}

/** Returns the tables that Postgres vacuums after these migrations. */
export function vacuumedAfter(ran: readonly string[]): string[] {
  return migrations.flatMap(({ name, vacuumed = [] }) => (ran.includes(name) ? vacuumed : []));
}

/** Runs all migrations at once, in an empty database that no other session can use. Returns their names. */
export async function migrateAtOnce(trx: Knex.Transaction): Promise<string[]> {
  await makeTable(trx);
  for (const { up } of migrations) await up(trx);
  const names = migrations.map(({ name }) => name);
  await trx(table).insert(names.map((name) => ({ name, applied_at: trx.raw('CURRENT_TIMESTAMP') })));
  return names;
}

/** The outcome of a migration. `busy`: another process is migrating. */
type Outcome = 'ran' | 'ran before' | 'busy';

/** Limits the wait for a lock to one second. Statements, and the work between them, may take as long as they need. */
export async function limitWaits(trx: Knex.Transaction, patience: number): Promise<void> {
  const limits = ['statement_timeout = 0', 'idle_in_transaction_session_timeout = 0', "lock_timeout = '1s'"];
  await trx.raw(limits.map((limit) => `SET LOCAL ${limit}`).join('; ')).timeout(patience + grace);
}

/**
 * Returns false if another process has the lock. It does not wait: a process in the queue of a lock could not be
 * stopped.
 */
async function lockMigrations(trx: Knex.Transaction, patience: number): Promise<boolean> {
  await limitWaits(trx, patience);
  const trial = trx.raw<Locked>('SELECT pg_try_advisory_xact_lock(?, hashtext(current_schema())) AS locked', [
    advisoryLocks.schema,
  ]);
  const { rows } = await trial.timeout(patience + grace);
  return rows.some(({ locked }) => locked);
}

interface Locked {
  readonly rows: readonly { readonly locked: boolean }[];
}

/**
 * Retries the work while it returns `busy` or others have the locks that it needs, until `until` (in
 * `performance.now()` time). After a `lock_timeout` or a deadlock, pauses for one second, so that others can use the table.
 */
export async function gettingLocks<T>(until: number, work: () => Promise<T>): Promise<T> {
  for (;;) {
    let wait = 100;
    try {
      const outcome = await work();
      if (outcome !== 'busy' || performance.now() > until) return outcome;
    } catch (error) {
      const cause = error instanceof Unavailable ? error.cause : error;
      if (!(isLockTimeout(cause) || isDeadlock(cause)) || performance.now() > until) throw error;
      wait = 1_000;
    }
    await setTimeout(wait);
  }
}

/** Returns the name of the last migration of a database. `schema`: the name under which SQLite has attached it. */
export async function lastMigration(
  knex: Knex,
  { schema, connection }: { readonly schema?: string; readonly connection?: unknown } = {},
): Promise<string> {
  const query = knex(table).max({ name: 'name' }).first();
  if (schema !== undefined) query.withSchema(schema);
  if (connection !== undefined) query.connection(connection);
  return String((await query)?.name);
}

/** Returns the names of the migrations that have run, or `undefined` if there is no table of migrations. */
async function appliedIn(trx: Knex.Transaction): Promise<Set<string> | undefined> {
  if (!(await trx.schema.hasTable(table))) return undefined;
  const applied = new Set<string>(await trx(table).pluck('name'));
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = [...applied].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new NewerDatabase(
      `The database is newer than this program: it has the migration ${unknown[0]}. Start the newer program, or restore a backup.`,
    );
  }
  return applied;
}

async function makeTable(trx: Knex.Transaction): Promise<Set<string>> {
  await trx.schema.createTable(table, (columns) => {
    columns.string('name').primary();
    columns.string('applied_at').notNullable();
  });
  return new Set();
}

/** Another process is migrating the database and did not finish in time. */
class MigrationBusy extends Error {
  override readonly name = 'MigrationBusy';

  constructor(place: string, waited: number) {
    super(
      `Another process is migrating the database at ${place} and did not finish within ${waited / 1_000} seconds. Start again when it has finished. If no such process is running, end the session that holds the advisory lock ${advisoryLocks.schema} (see pg_locks).`,
    );
  }
}

/** A newer version of the program has migrated the database. */
export class NewerDatabase extends Error {
  override readonly name = 'NewerDatabase';
}
