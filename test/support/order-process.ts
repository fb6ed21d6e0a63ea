import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { openPostgres } from '../../adapters/sql/postgres/database.ts';
import { openSqlite } from '../../adapters/sql/sqlite/database.ts';
import { createSqlOrderStore } from '../../adapters/sql/stores/order-store.ts';
import { createSqlWorkQueue } from '../../adapters/sql/stores/work-queue.ts';
import { createWithin } from '../../adapters/within.ts';
import { createSettleOrder, lookAtOrder } from '../../core/purchases/settle.ts';
import { createWorker } from '../../core/work/worker.ts';
import { writeLetter } from './letters.ts';
import { createBank } from './orders.ts';

// A process that looks at the payments of orders until nothing is due at the given time. All are paid at its bank. Usage:
// order-process.ts <database> <now> [step]. Kills itself at that step.

const [place = '', now = '', step] = process.argv.slice(2);
const database = place.startsWith('sqlite:')
  ? await openSqlite(place.slice('sqlite:'.length))
  : await openPostgres({ url: place, poolSize: 4, statementTimeout: 10_000 });
const clock = createManualClock(Number(now));

/** Ends the process like a crash, if its settings name this step. Waits for the signal. */
async function dieAt(reached: string): Promise<void> {
  if (step !== reached) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
}

const store = createSqlOrderStore({
  ...database,
  write: (work) =>
    database.write(async (trx) => {
      const result = await work(trx);
      await dieAt('before the commit');
      return result;
    }),
});
const bank = createBank();
const settle = createSettleOrder({
  store: {
    ...store,
    async change(id, decide) {
      const after = await store.change(id, decide);
      await dieAt('after the commit');
      return after;
    },
  },
  within: createWithin(10_000),
  settings: {
    manual: undefined,
    provider: {
      ...bank,
      async read(paymentId) {
        await dieAt('before the answer of the bank');
        const order = await store.findByPayment('stripe', paymentId);
        if (order === undefined) throw new Error('There is no such order.');
        bank.set(order, { status: 'paid' });
        return bank.truthOf(order);
      },
    },
  },
  clock,
  secrets: systemSecrets,
  write: writeLetter,
  administrators: async () => [],
  recorders: async () => [],
  isSuspended: async () => false,
});
const queue = createSqlWorkQueue(database);
const never = new AbortController().signal;
const worker = createWorker(
  {
    ...queue,
    async settle(settled) {
      await dieAt('before the work is settled');
      await queue.settle(settled);
      await dieAt('after the work is settled');
    },
  },
  { mail: async () => 'sent', order: lookAtOrder(settle, clock) },
  clock,
  { places: 1, stop: never },
);
while (await worker.take()) await worker.idle();
await worker.idle();
await database.close();
