import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import { Unavailable } from '../../core/unavailable.ts';
import { createQueue } from '../queue.ts';
import type { Database } from './database.ts';

/** The parts of all long writes of a process: each is one transaction. They take turns, in order of arrival. */
export interface Parts {
  /** The target duration of a part, in milliseconds. */
  readonly aim: number;
  /** Runs a part when it is its turn. `took`: for how long it had the database, in milliseconds. */
  take<T>(
    write: Database['write'],
    work: (trx: Knex.Transaction) => Promise<T>,
  ): Promise<{ readonly result: T; readonly took: number }>;
}

/**
 * `atOnce`: the parts that run at the same time. `pause`: how long the database stays free of parts after one, as a
 * multiple of its duration.
 */
export interface Pace extends Pick<Parts, 'aim'> {
  readonly atOnce: number;
  readonly pause: number;
}

/**
 * On SQLite a part holds the only write lock. Other processes do not queue for the lock but poll every few milliseconds,
 * so it must stay free long enough. On Postgres, only transactions that issue licenses, and verifications of the licenses
 * that it changes, wait for a part; the others use the other connections.
 */
export const pace = {
  sqlite: { aim: 25, atOnce: 1, pause: 1 },
  postgres: { aim: 150, atOnce: 3, pause: 0 },
} as const satisfies Record<string, Pace>;

export function createParts({ aim, atOnce, pause }: Pace): Parts {
  // Unbounded, because each caller has only one part at a time, and callers are bounded elsewhere.
  const inTurn = createQueue({ atOnce, waiting: Number.POSITIVE_INFINITY });
  let freeUntil = 0;
  return {
    aim,
    take: (write, work) =>
      inTurn(async () => {
        const rest = freeUntil - performance.now();
        if (rest > 0) await setTimeout(rest);
        let began = performance.now();
        const took = () => performance.now() - began;
        try {
          const result = await write((trx) => {
            began = performance.now();
            return work(trx);
          });
          return { result, took: took() };
        } finally {
          freeUntil = performance.now() + pause * took();
        }
      }),
  };
}

/** Splits long work into many short transactions, so that others can write between them. */
export interface ShortTurns {
  /** The number of rows that the next transaction should write. */
  rows(): number;
  /** Runs one transaction that writes this number of rows. `work` may run again from its start. */
  take<T>(rows: number, work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
}

export interface TurnLimits {
  /** Limits of the rows in one turn. The first turn has the fewest. */
  readonly fewest?: number;
  readonly most?: number;
  /** Milliseconds for which a turn is retried while the database is unavailable or busy. */
  readonly patience?: number;
}

/** Measures each turn, and adapts the size of the next one to the target duration. */
export function createShortTurns(
  { write, parts }: Pick<Database, 'write' | 'parts'>,
  { fewest = 200, most = 1_000, patience = 30_000 }: TurnLimits = {},
): ShortTurns {
  let size = fewest;
  return {
    rows: () => size,
    async take(rows, work) {
      const { result, took } = await patiently(() => parts.take(write, work), patience);
      if (rows >= 0.8 * size) {
        const fitting = between(0.5 * size, (rows * parts.aim) / took, 1.5 * size);
        size = between(fewest, Math.round(fitting), most);
      }
      return result;
    },
  };
}

/** Returns the items from `from` on that a turn of so many rows can write, with the rows of their own, but at least one. */
export function within<Item>(most: number, items: readonly Item[], from: number, ownRowsOf: (item: Item) => number) {
  const some: Item[] = [];
  let rows = 0;
  for (let index = from; index < items.length; index++) {
    const item = items[index];
    if (item === undefined) break;
    const more = 1 + ownRowsOf(item);
    if (some.length > 0 && rows + more > most) break;
    some.push(item);
    rows += more;
  }
  return { some, rows };
}

/** A retry is safe, because after `Unavailable` nothing was written. */
async function patiently<T>(work: () => Promise<T>, patience: number): Promise<T> {
  const until = performance.now() + patience;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unavailable) || performance.now() >= until) throw error;
      await setTimeout(100);
    }
  }
}

function between(low: number, value: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
