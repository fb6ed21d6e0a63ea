import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Clock, Instant } from '../../../core/ports/clock.ts';
import type { SnapshotRun, UsageSnapshots } from '../../../core/ports/usage-figures.ts';
import { beforeAll, sharesOf, steps } from '../../../core/selling/usage-hours.ts';
import type { Database } from '../database.ts';
import { leaseTime } from '../imports/owner.ts';
import { createShortTurns } from '../paced-writes.ts';
import { createIdleProcessors, restAfter } from './idle-processors.ts';
import { type ChangedLicense, findChanged, idAfter, store } from './snapshot-rows.ts';

const table = 'usage_runs';
const subject = 'verifications';

/** The number of ids that one statement compares. It is small so that other statements do not wait long. */
const licensesAtOnce = 10_000;

interface RunRow {
  readonly subject: string;
  readonly counted_to: Instant | null;
  readonly owner: string;
  readonly leased_until: number;
}

/** Compares without a lock, and writes what has changed in short transactions. */
export function createSqlUsageSnapshots(database: Database, clock: Clock): UsageSnapshots {
  const { read, write } = database;

  function runOf(owner: string, hours: SnapshotRun['hours'], lease: number): SnapshotRun {
    const turns = createShortTurns(database);
    const idle = createIdleProcessors();
    const [inHours, inDays] = [sharesOf('hour', hours.from, hours.to), sharesOf('day', hours.from, hours.to)];
    /** Where the next comparison begins. */
    let first: number | undefined = 1;
    let renewedAt = performance.now();

    /** Locks the run for this transaction, so that nobody takes over before its end. Returns whether it is still ours. */
    const hold = async (trx: Knex.Transaction, change: Partial<RunRow> = {}) =>
      (await trx(table)
        .where({ subject, owner })
        .update({ leased_until: leaseTime(trx, clock, lease), ...change })) > 0;

    /** Found but not stored yet: a transaction for each range would cost more. */
    let found: ChangedLicense[] = [];

    /**
     * Stores the found licenses in transactions of a suitable size. Returns whether the run was ours in all of these.
     */
    async function storeFound(isEnd: boolean): Promise<boolean> {
      while (found.length >= (isEnd ? 1 : turns.rows())) {
        const some = found.slice(0, turns.rows());
        const isOurs = await turns.take(some.length, async (trx) => {
          if (!(await hold(trx))) return false;
          await store(trx, some, inDays, inHours);
          return true;
        });
        if (!isOurs) return false;
        found = found.slice(some.length);
        renewedAt = performance.now();
      }
      return true;
    }

    return {
      hours,
      async next() {
        if (first === undefined) return 'done';
        const range = { first, last: first + licensesAtOnce - 1 };
        const began = performance.now();
        const { changed, following } = await read(async (knex) => ({
          changed: await findChanged(knex, range),
          following: await idAfter(knex, range.last),
        }));
        const rest = restAfter(performance.now() - began, idle());
        if (following !== undefined) await setTimeout(rest);
        found = [...found, ...changed];
        if (!(await storeFound(following === undefined))) return 'lost';
        if (performance.now() - renewedAt > lease / 3) {
          if (!(await write((trx) => hold(trx)))) return 'lost';
          renewedAt = performance.now();
        }
        first = following;
        return following === undefined ? 'done' : 'more';
      },
      async finish() {
        await write((trx) => hold(trx, { counted_to: hours.to, leased_until: 0 }));
      },
    };
  }

  return {
    async claim(to, lease) {
      const isFree = (trx: Knex.Transaction) => (query: Knex.QueryBuilder) =>
        query
          .where('leased_until', '<=', leaseTime(trx, clock))
          // The clock was set back.
          .orWhere('leased_until', '>', leaseTime(trx, clock, lease));
      // Without this read, an idle process would take SQLite's write lock again and again.
      const seen = await read((knex) => knex<RunRow>(table).where({ subject }).first());
      if (seen?.counted_to != null && seen.counted_to >= to) return undefined;
      const owner = randomUUID();
      const from = await write(async (trx) => {
        if (seen === undefined) {
          const row = { subject, counted_to: await endOfFigures(trx), owner: '', leased_until: 0 };
          await trx(table).insert(row).onConflict('subject').ignore();
        }
        const [claimed]: RunRow[] = await trx(table)
          .where({ subject })
          .andWhere((due) => due.whereNull('counted_to').orWhere('counted_to', '<', to))
          .andWhere(isFree(trx))
          .update({ owner, leased_until: leaseTime(trx, clock, lease) })
          .returning('*');
        return claimed && { countedTo: claimed.counted_to };
      });
      return from && runOf(owner, { from: from.countedTo ?? undefined, to }, lease);
    },
  };
}

/** Returns the end of the hours that have figures, or `null` if there are none. Imported figures come without a run. */
async function endOfFigures(trx: Knex.Transaction): Promise<Instant | null> {
  const [row] = await trx('product_usage').max({ at: 'at' });
  const at: number | null = row?.at ?? null;
  return at === null ? null : at === beforeAll ? null : at + steps.hour;
}
