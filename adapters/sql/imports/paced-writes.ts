import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import { Unavailable } from '../../../core/unavailable.ts';
import { type Database, isPostgres } from '../database.ts';

/** Long work on the database in many short transactions, between which others write. */
export interface ShortTurns {
  /** How many rows the next turn should write. */
  rows(): number;
  /** One transaction that writes so many rows. `work` may be done again from its start. */
  take<T>(rows: number, work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
}

/**
 * `aim`: milliseconds that a turn should take. `pause`: the time after a turn, in proportion to it. On SQLite a turn holds the only
 * write lock, and other processes do not queue for it but look every few milliseconds: it must be free for long enough to be found.
 * On Postgres nobody waits for a turn but those who issue licenses.
 */
const pace = { sqlite: { aim: 25, pause: 1 }, postgres: { aim: 150, pause: 0 } } as const;
/** Rows. */
const fewest = 200;
const most = 1_000;
/** Milliseconds for which a turn is tried again if the database is out, or busy with others. */
const patience = 30_000;

/** Measures its turns, and sizes the next ones to be as long as they should be. */
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
      if (rows === size) size = within(fewest, Math.round(size * within(0.5, aim / took, 1.5)), most);
      return result;
    },
  };
}

/** What throws `Unavailable` has written nothing. */
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
