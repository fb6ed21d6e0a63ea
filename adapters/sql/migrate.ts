import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import { Unavailable } from '../../core/unavailable.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { type Database, isPostgres } from './database.ts';
import { isLockTimeout } from './errors.ts';
import { migrations } from './migrations/index.ts';
import { NoDatabase, type Opening } from './no-database.ts';

/** A step of the schema. Its name is its place in the order, and never changes once it is released. */
export interface Migration {
  readonly name: string;
  up(trx: Knex.Transaction): Promise<void>;
}

const table = 'schema_migrations';
/** Milliseconds that a statement which waits for no step may take beyond `patience`, until the server counts as gone. */
const grace = 1_000;

/**
 * Brings the schema up to date, each step in a transaction of its own that holds the write lock, so that several
 * processes may start at once. Returns the steps that it took. A database newer than the program is refused. `place` is where it
 * is, as people are told: without user and password.
 *
 * On Postgres, a step that has to wait for a lock makes everybody else wait behind it. So it waits for a second, gives way for as
 * long, and tries again. If another process is taking steps, it waits for that. It waits `patience` (milliseconds) in all, then it
 * throws. If there is nothing to do, it waits for nobody.
 */
export async function migrate(
  { write }: Pick<Database, 'write'>,
  {
    mustExist = false,
    place = '',
    patience = 60_000,
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
  const taken: string[] = [];
  for (const { name, up } of missing) {
    const take = async (trx: Knex.Transaction): Promise<Outcome> => {
      if (isPostgres(trx) && !(await lockSteps(trx, patience))) return 'busy';
      const applied = (await appliedIn(trx)) ?? (await makeTable(trx));
      if (applied.has(name)) return 'taken before';
      await up(trx);
      await trx(table).insert({ name, applied_at: trx.raw('CURRENT_TIMESTAMP') });
      return 'taken';
    };
    const outcome = await gettingLocks(until, () => write(take));
    if (outcome === 'busy') throw new MigrationBusy(place, patience);
    if (outcome === 'taken') taken.push(name);
  }
  return taken;
}

/** Takes all steps at once, in an empty database that nobody else can use. Returns their names. */
export async function migrateAtOnce(trx: Knex.Transaction): Promise<string[]> {
  await makeTable(trx);
  for (const { up } of migrations) await up(trx);
  const names = migrations.map(({ name }) => name);
  await trx(table).insert(names.map((name) => ({ name, applied_at: trx.raw('CURRENT_TIMESTAMP') })));
  return names;
}

/** What became of a step. `busy`: another process takes one. */
type Outcome = 'taken' | 'taken before' | 'busy';

/** Lets statements wait a second for a lock, and as long as it takes for anything else. */
async function limitWaits(trx: Knex.Transaction, patience: number): Promise<void> {
  await trx.raw("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '1s'").timeout(patience + grace);
}

/** Returns false if another process has the lock. To stand in its queue would keep a process from being stopped. */
async function lockSteps(trx: Knex.Transaction, patience: number): Promise<boolean> {
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
 * Repeats the work until `until` (by `performance.now()`) while others hold its locks or it returns `busy`. After a
 * `lock_timeout` it waits for a second, so that others get their turn.
 */
export async function gettingLocks<T>(until: number, work: () => Promise<T>): Promise<T> {
  for (;;) {
    let wait = 100;
    try {
      const outcome = await work();
      if (outcome !== 'busy' || performance.now() > until) return outcome;
    } catch (error) {
      const cause = error instanceof Unavailable ? error.cause : error;
      if (!isLockTimeout(cause) || performance.now() > until) throw error;
      wait = 1_000;
    }
    await setTimeout(wait);
  }
}

/** The last step that a database has had. `schema`: the name under which it is attached. */
export async function lastStep(
  knex: Knex,
  { schema, connection }: { readonly schema?: string; readonly connection?: unknown } = {},
): Promise<string> {
  const query = knex(table).max({ name: 'name' }).first();
  if (schema !== undefined) query.withSchema(schema);
  if (connection !== undefined) query.connection(connection);
  return String((await query)?.name);
}

/** The names of the steps that the database has had; `undefined` if there is no table of them. */
async function appliedIn(trx: Knex.Transaction): Promise<Set<string> | undefined> {
  if (!(await trx.schema.hasTable(table))) return undefined;
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

async function makeTable(trx: Knex.Transaction): Promise<Set<string>> {
  await trx.schema.createTable(table, (columns) => {
    columns.string('name').primary();
    columns.string('applied_at').notNullable();
  });
  return new Set();
}

/** Another process has been bringing the database up to date for too long. */
export class MigrationBusy extends Error {
  override readonly name = 'MigrationBusy';

  constructor(place: string, waited: number) {
    super(
      `The database at ${place} is being brought up to date by another process, which did not end within ${waited / 1_000} seconds. Start again when it has ended; if there is none, end the session that holds the advisory lock ${advisoryLocks.schema} (pg_locks).`,
    );
  }
}

/** The database was brought up to date by a later version of the program. */
export class NewerDatabase extends Error {
  override readonly name = 'NewerDatabase';
}
