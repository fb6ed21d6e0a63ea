import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database } from './database.ts';

/** The rows of one step. So few that SQLite's only writer is held for some milliseconds. */
const rowsInStep = 200;

/**
 * Repeats a step until it returns `undefined`, and returns the sum of its numbers. After each step, it pauses for as long as
 * the step took, so that verifications and others get their turns.
 */
export async function inSteps(step: () => Promise<number | undefined>): Promise<number> {
  for (let sum = 0; ; ) {
    const done = await givingTurns(step);
    if (done === undefined) return sum;
    sum += done;
  }
}

/** Does one step, and then pauses for as long as it took. Not if there was nothing to do (`undefined`). */
export async function givingTurns<T>(step: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const done = await step();
  if (done !== undefined) await setTimeout(performance.now() - began);
  return done;
}

/**
 * Deletes rows in short transactions, until `pick` finds none. `pick` finds at most `most` keys, and must not find again
 * what `remove` has left. Returns the number of deleted rows.
 */
export async function forgetRows<Key>(
  { read, write }: Pick<Database, 'read' | 'write'>,
  pick: (knex: Knex, most: number) => PromiseLike<readonly Key[]>,
  remove: (trx: Knex.Transaction, keys: readonly Key[]) => Promise<number>,
  most = rowsInStep,
): Promise<number> {
  return await inSteps(async () => {
    const keys = await read((knex) => pick(knex, most));
    return keys.length === 0 ? undefined : await write((trx) => remove(trx, keys));
  });
}

/**
 * Deletes the rows of a table that are older than a time. Their ids need not be in the order of the times: a clock can have
 * been wrong.
 */
export async function forgetOldest(
  database: Pick<Database, 'read' | 'write'>,
  table: 'audit_log' | 'deployments',
  before: number,
  remove: (trx: Knex.Transaction, ids: readonly number[]) => Promise<number> = (trx, ids) =>
    trx(table)
      .whereIn('id', [...ids])
      .delete(),
): Promise<number> {
  return await forgetRows<number>(
    database,
    async (knex, most) => await knex(table).where('at', '<', before).limit(most).pluck('id'),
    remove,
  );
}
