import type { Database } from '../../adapters/sql/database.ts';
import { openPostgres } from '../../adapters/sql/postgres/database.ts';
import { openSqlite } from '../../adapters/sql/sqlite/database.ts';
import { createSqlCouponStore } from '../../adapters/sql/stores/coupon-store.ts';
import { createSqlWorkQueue } from '../../adapters/sql/stores/work-queue.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { lookAtOrder, type SettleOrder } from '../../core/purchases/settle.ts';
import { createWorker } from '../../core/work/worker.ts';

// Parts of the processes that tests kill.

/** Waits at a step, or ends the process there like a crash. */
export type DieAt = (reached: string) => Promise<void>;

/** Opens the database of a test. `place` is a value for `DATABASE_URL`. */
export function openAt(place: string): Promise<Database> {
  return place.startsWith('sqlite:')
    ? openSqlite(place.slice('sqlite:'.length))
    : openPostgres({ url: place, poolSize: 4, statementTimeout: 10_000 });
}

/** Ends the process like a crash when it reaches this step for the nth time. Waits for the signal. */
export function dyingAt(step: string | undefined, nth = 1): DieAt {
  let left = nth;
  return async (reached) => {
    if (step !== reached || --left > 0) return;
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  };
}

/** The database, with a step before each commit. */
export function dyingBeforeCommit(database: Database, dieAt: DieAt): Database {
  return {
    ...database,
    write: (work) =>
      database.write(async (trx) => {
        const result = await work(trx);
        await dieAt('before the commit');
        return result;
      }),
  };
}

/** Looks at orders until nothing is due, with steps before and after each look is stored. */
export async function settleAll(database: Database, settle: SettleOrder, clock: Clock, dieAt: DieAt): Promise<void> {
  const queue = createSqlWorkQueue(database);
  const worker = createWorker(
    {
      ...queue,
      async settle(settled) {
        await dieAt('before the work is settled');
        await queue.settle(settled);
        await dieAt('after the work is settled');
      },
    },
    { mail: async () => 'sent', order: lookAtOrder(settle, createSqlCouponStore(database), clock) },
    clock,
    { places: 1, stop: new AbortController().signal },
  );
  while (await worker.take()) await worker.idle();
  await worker.idle();
}
