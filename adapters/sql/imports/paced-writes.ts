import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import { Unavailable } from '../../../core/unavailable.ts';
import { type Database, isPostgres } from '../database.ts';

/** Splits long work into many short transactions, so that others can write between them. */
export interface ShortTurns {
  /** The number of rows that the next transaction should write. */
  rows(): number;
  /** Runs one transaction that writes this number of rows. `work` may run again from its start. */
  take<T>(rows: number, work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
}

/**
 * A turn is one transaction. `aim`: its target duration, in milliseconds. `pause`: the pause after a turn, as a
 * multiple of its duration. On SQLite a turn holds the only write lock. Other processes do not queue for the lock but
 * poll every few milliseconds, so it must stay free long enough. On Postgres, only transactions that issue licenses
 * wait for a turn.
 */
const pace = { sqlite: { aim: 25, pause: 1 }, postgres: { aim: 150, pause: 0 } } as const;
/** Limits of the rows in one turn. */
const fewest = 200;
const most = 1_000;
/** Milliseconds for which a turn is retried while the database is unavailable or busy. */
const patience = 30_000;

/** Measures each turn, and adapts the size of the next one to the target duration. */
export function createShortTurns({ write }: Pick<Database, 'write'>): ShortTurns {
  let size = fewest;
  let nextAt = 0;
  return {
    rows: () => size,
    async take(rows, work) {
      await setTimeout(Math.max(0, nextAt - performance.now()));
      let began = 0;
      let { aim, pause }: { aim: number; pause: number } = pace.sqlite;
      const result = await patiently(() =>
        write((trx) => {
          began = performance.now();
          if (isPostgres(trx)) ({ aim, pause } = pace.postgres);
          return work(trx);
        }),
      );
      const now = performance.now();
      const took = now - began;
      nextAt = now + pause * took;
      if (rows >= 0.8 * size) {
        const fitting = within(0.5 * size, (rows * aim) / took, 1.5 * size);
        size = within(fewest, Math.round(fitting), most);
      }
      return result;
    },
  };
}

/** A retry is safe, because after `Unavailable` nothing was written. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + patience;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unavailable) || performance.now() > until) throw error;
      await setTimeout(100);
    }
  }
}

function within(low: number, value: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
