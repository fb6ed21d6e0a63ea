import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import { minute } from '../../../core/time.ts';
import { type Database, largestId } from '../database.ts';
import { gettingLocks } from '../migrate.ts';
import { domainTriggerNames } from './domain-triggers.ts';
import * as sql from './partition-statements.ts';

/** The table cannot be partitioned. Nothing was changed. The message is one line. */
export class PartitioningRefused extends Error {
  override readonly name = 'PartitioningRefused';
}

export type PartitioningStep = 'copying' | 'checking references' | 'comparing' | 'replacing';

interface Options {
  readonly step?: (step: PartitioningStep) => void;
  /** Called with the number of rows that the step has processed. */
  readonly at?: (rows: number) => void;
  /** Rows that are copied or compared in one transaction. */
  readonly chunkSize?: number;
}

type Writing = Pick<Database, 'read' | 'write'>;

/** Milliseconds for which a statement retries to get its locks. */
const patience = minute;
/** The longest timer of Node, in milliseconds. */
const longest = 2_147_483_647;

/**
 * Splits the activations into `count` tables by a hash of their license, while the service runs. Returns the number of
 * rows. If it is interrupted, the copy stays, and the trigger keeps it up to date. The next call continues with the
 * copy if `count` is the same. Otherwise it starts again.
 */
export async function partitionActivations(
  database: Writing,
  count: number,
  { step = () => undefined, at = () => undefined, chunkSize = 5_000 }: Options = {},
): Promise<number> {
  const { columns } = await prepare(database, count);
  step('copying');
  const chunks = { chunkSize, at };
  await inChunks(database, chunks, async (trx, bounds) => {
    await trx.raw('SET LOCAL synchronous_commit = off'); // If a crash loses copied rows, the comparison detects it.
    await trx.raw(sql.copyChunk(columns), bounds);
  });
  step('checking references');
  for (let index = 0; index < count; index++) await refer(database, sql.partOf(index));
  step('comparing');
  const rows = await inChunks(database, chunks, async (trx, bounds) => {
    const { rows } = await trx.raw(sql.countDifferences, [...bounds, ...bounds]);
    if (Number(rows[0].differences) > 0) throw new Error('The copy of the activations differs from the original.');
  });
  step('replacing');
  await locking(database, async (trx) => {
    const copied = await columnsOf(trx, sql.partitionNames.copy);
    if (String(copied) !== String(await columnsOf(trx, 'activations'))) throw changedMeanwhile();
    await runLong(trx, sql.swap);
  });
  await locking(database, (trx) => runLong(trx, sql.dropOld));
  return rows;
}

/** Removes the copy of an interrupted partitioning. Returns whether there was one. */
export async function abandonPartitioning(database: Writing): Promise<boolean> {
  const exists = await database.read((knex) => knex.schema.hasTable(sql.partitionNames.copy));
  await locking(database, (trx) => runLong(trx, sql.dropCopy));
  return exists;
}

async function prepare(database: Writing, count: number): Promise<{ readonly columns: readonly string[] }> {
  const { isPartitioned, version, triggers, copy, columns } = await database.read(async (knex) => ({
    ...(await stateOf(knex)),
    copy: await columnsOf(knex, sql.partitionNames.copy),
    columns: await columnsOf(knex, 'activations'),
  }));
  if (isPartitioned) {
    // A run that was killed at its very end leaves the old table behind.
    await locking(database, (trx) => runLong(trx, sql.dropOld));
    throw new PartitioningRefused('The activations are partitioned already.');
  }
  if (version < 140_000) {
    throw new PartitioningRefused(
      'Postgres 14 or later is required: older versions plan each verification once for every partition.',
    );
  }
  if (triggers !== '') throw new PartitioningRefused(`The activations have triggers that would be lost: ${triggers}.`);
  const parts = await database.read((knex) => partsOf(knex));
  if (String(copy) === String(columns) && parts === count) return { columns };
  if (copy.length > 0) await locking(database, (trx) => runLong(trx, sql.dropCopy));
  await locking(database, (trx) => runLong(trx, sql.makeCopy(columns, count)));
  return { columns };
}

async function stateOf(knex: Knex) {
  const { rows } = await knex.raw(
    `SELECT relkind = 'p' AS "isPartitioned", current_setting('server_version_num')::int AS version,
      (SELECT coalesce(string_agg(tgname, ', '), '') FROM pg_trigger
        WHERE tgrelid = t.oid AND NOT tgisinternal AND tgname <> ALL (?)) AS triggers
    FROM pg_class AS t WHERE oid = to_regclass('activations')`,
    [[sql.partitionNames.mirror, ...domainTriggerNames]],
  );
  return rows[0] as { readonly isPartitioned: boolean; readonly version: number; readonly triggers: string };
}

async function columnsOf(knex: Knex, table: string): Promise<readonly string[]> {
  const { rows } = await knex.raw(
    `SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  return rows.map(({ attname }: { attname: string }) => attname);
}

async function partsOf(knex: Knex): Promise<number> {
  const { rows } = await knex.raw('SELECT count(*)::int AS count FROM pg_inherits WHERE inhparent = to_regclass(?)', [
    sql.partitionNames.copy,
  ]);
  return rows[0].count;
}

/**
 * Bounds before the first key and after the last one. Ids begin at 1, and every character of a domain sorts before `~`.
 */
const ends = { first: [0, ''], last: [largestId, '~'] } as const;

/** Goes through all rows in key order. After each chunk it pauses for as long as the chunk took. */
async function inChunks(
  { read, write }: Writing,
  { chunkSize, at }: { readonly chunkSize: number; readonly at: (rows: number) => void },
  work: (trx: Knex.Transaction, bounds: readonly [number, string, number, string]) => Promise<void>,
): Promise<number> {
  let rows = 0;
  for (let from: readonly [number, string] = ends.first; ; ) {
    const began = performance.now();
    const [lastId, lastDomain] = from;
    const found = await read((knex) => knex.raw(sql.endOfChunk, [lastId, lastDomain, chunkSize - 1]));
    const [end] = found.rows as readonly { license_id: number; domain: string }[];
    const to: readonly [number, string] = end ? [end.license_id, end.domain] : ends.last;
    await write((trx) => work(trx, [...from, ...to]));
    if (end === undefined) {
      const { rows: rest } = await read((knex) =>
        knex.raw('SELECT count(*)::int AS count FROM activations WHERE (license_id, domain) > (?, ?)', [...from]),
      );
      return rows + rest[0].count;
    }
    rows += chunkSize;
    at(rows);
    from = to;
    await setTimeout(performance.now() - began);
  }
}

async function refer(database: Writing, part: string): Promise<void> {
  const { rows } = await database.read((knex) =>
    knex.raw('SELECT convalidated FROM pg_constraint WHERE conname = ? AND conrelid = to_regclass(?)', [
      `${part}_license_id_fkey`,
      part,
    ]),
  );
  if (rows.length === 0) await locking(database, (trx) => runLong(trx, sql.addReference(part)));
  if (!rows[0]?.convalidated) await locking(database, (trx) => runLong(trx, sql.checkReference(part)));
  // ANALYZE does not block readers and writers. So it may wait for its lock, which autovacuum may have.
  await database.write(async (trx) => {
    await trx.raw(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${patience}`);
    await runLong(trx, `ANALYZE ${part}`);
  });
}

/** Waits at most 250 ms at a time for a lock, so that nobody waits behind it for longer. */
function locking<T>({ write }: Writing, work: (trx: Knex.Transaction) => PromiseLike<T>): Promise<T> {
  return gettingLocks(performance.now() + patience, () =>
    write(async (trx) => {
      await trx.raw("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '250ms'");
      return await work(trx);
    }),
  );
}

/**
 * Runs a statement without a timeout of the driver, because it may read a large table. The caller sets the server's
 * timeout.
 */
async function runLong(trx: Knex.Transaction, text: string): Promise<void> {
  await trx.raw(text).options({ query_timeout: longest });
}

function changedMeanwhile(): Error {
  return new Error('An upgrade changed the table of activations meanwhile. Run the command again.');
}
