import type { Knex } from 'knex';
import { fillCatalogue } from '../catalogue/entries.ts';
import { type Database, isPostgres } from '../database.ts';
import { lastMigration } from '../migrate.ts';
import { withoutValues } from '../statement-failed.ts';
import { spreadAll } from '../webhook-fan-out.ts';
import { ImportRefused } from './refused.ts';
import { type ArchivedRow, type ArchivedTable, archivedTables } from './tables.ts';

const rowsAtOnce = 500;

/** All rows of a database at one moment, in the order of their keys. The order is the same on every database. */
export interface Snapshot {
  /** The name of the last migration. */
  readonly schema: string;
  rows(table: ArchivedTable): AsyncIterable<readonly ArchivedRow[]>;
}

/**
 * Runs the work on a snapshot, while others may write. The snapshot occupies a connection, so the work must not ask for
 * another one.
 */
export function withSnapshot<T>(
  { read }: Pick<Database, 'read'>,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  return read(async (knex) => {
    const connection: unknown = await knex.client.acquireConnection();
    const run = (statement: string) => knex.raw(statement).connection(connection);
    try {
      // Knex's own transactions would take SQLite's write lock. Behind a pooler, reads run in a transaction already.
      const oneMoment = 'ISOLATION LEVEL REPEATABLE READ, READ ONLY';
      if (knex.isTransaction) await run(`SET TRANSACTION ${oneMoment}`);
      else await run(isPostgres(knex) ? `BEGIN ${oneMoment}` : 'BEGIN DEFERRED');
      try {
        return await work({
          schema: await lastMigration(knex, { connection }),
          rows: (table) => pagesOf(knex, connection, table),
        });
      } finally {
        // If ROLLBACK fails, the connection is broken, and the transaction has ended with it.
        if (!knex.isTransaction) await run('ROLLBACK').catch(() => undefined);
      }
    } finally {
      await knex.client.releaseConnection(connection);
    }
  });
}

async function* pagesOf(
  knex: Knex,
  connection: unknown,
  { name, key }: ArchivedTable,
): AsyncGenerator<readonly ArchivedRow[]> {
  const columns = Object.keys(key);
  const order = Object.values(key)
    .map((type) => (type === 'text' && isPostgres(knex) ? '?? COLLATE "C"' : '??'))
    .join(', ');
  const next = `(${order}) > (${columns.map(() => '?').join(', ')})`;
  for (let last: ArchivedRow | undefined; ; ) {
    const query = knex(name).orderByRaw(order, columns).limit(rowsAtOnce).connection(connection);
    const rows: ArchivedRow[] = await (last === undefined
      ? query
      : query.whereRaw(next, [...columns, ...columns.map((column) => last?.[column])] as string[]));
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    if (rows.length < rowsAtOnce) return;
  }
}

/** Throws `ImportRefused` if any table that an import fills has rows. */
export function assertEmpty({ read }: Pick<Database, 'read'>): Promise<void> {
  return read(refuseRows);
}

/**
 * Fills an empty database, all or nothing, with the rows that `rowsOf` returns. May call `rowsOf` again from the start.
 * Throws `ImportRefused` if the database is not empty, or if it refuses a row.
 */
export async function fill(
  { write }: Pick<Database, 'write'>,
  rowsOf: (table: ArchivedTable) => AsyncIterable<readonly ArchivedRow[]>,
): Promise<void> {
  await write(async (trx) => {
    const names = archivedTables.map(({ name }) => name);
    if (isPostgres(trx)) {
      await trx.raw(`LOCK TABLE ${names.map(() => '??').join(', ')} IN SHARE ROW EXCLUSIVE MODE`, names);
    }
    await refuseRows(trx);
    for (const table of archivedTables) {
      for await (const rows of rowsOf(table)) await insert(trx, table, rows);
      if (isPostgres(trx) && table.key.id === 'number') await continueIds(trx, table);
    }
    await spreadAll(trx);
    await leaveOutRemoved(trx);
    await fillCatalogue(trx);
  });
}

async function refuseRows(knex: Knex): Promise<void> {
  for (const { name } of archivedTables) {
    if ((await knex(name).first(knex.raw('1'))) === undefined) continue;
    throw new ImportRefused(`the database is not empty: it contains ${name.replace('_', ' ')}.`);
  }
}

async function insert(
  trx: Knex.Transaction,
  { name, key, isPartlyDerived }: ArchivedTable,
  rows: readonly ArchivedRow[],
): Promise<void> {
  try {
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      const inserting = trx(name).insert(rows.slice(from, from + rowsAtOnce));
      await (isPartlyDerived ? inserting.onConflict(Object.keys(key)).ignore() : inserting);
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const cause = withoutValues(error);
    const [why] = cause instanceof Error ? cause.message.split(' - ').slice(-1) : [];
    throw new ImportRefused(`the database refuses the exported rows of ${name}: ${why}`, { cause });
  }
}

/** Whether the row itself is wrong, so that a retry does not help. */
function isRefusal(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG|RANGE)|2[23]...)$/.test(code);
}

/** Makes new ids continue after the largest one. SQLite does this by itself. */
async function continueIds(trx: Knex.Transaction, { name }: ArchivedTable): Promise<void> {
  await trx.raw("SELECT setval(pg_get_serial_sequence(?, 'id'), coalesce(max(id), 1), max(id) IS NOT NULL) FROM ??", [
    name,
    name,
  ]);
}

/**
 * Deletes the deliveries to removed webhooks, after all deliveries are added. The database does not know the ids of these webhooks any more, so a new
 * webhook of somebody else may get one of these ids.
 */
async function leaveOutRemoved(trx: Knex.Transaction): Promise<void> {
  const endpoints = () => trx('webhook_endpoints').select('id');
  const unseen = () => trx('webhook_deliveries').whereNotIn('endpoint_id', endpoints());
  await trx('webhook_attempts').whereIn('delivery_id', unseen().select('id')).delete();
  await unseen().delete();
  await trx('webhook_hours').whereNotIn('endpoint_id', endpoints()).delete();
}
