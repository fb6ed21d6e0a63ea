import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { createSqlOrderStore } from '../../adapters/sql/stores/order-store.ts';
import { createWithin } from '../../adapters/within.ts';
import { monthsAfter } from '../../core/licensing/ends.ts';
import { createSettleOrder } from '../../core/purchases/settle.ts';
import { writeLetter } from './letters.ts';
import { createBank } from './orders.ts';
import { dyingAt, dyingBeforeCommit, openAt, settleAll } from './process-parts.ts';

// A process that looks at orders until nothing is due at the given time. All are paid at its bank, and each subscription has
// collected three payments. Usage: subscription-process.ts <database> <now> [step] [n]. Kills itself when it reaches that step
// for the nth time.

const [place = '', now = '', step, nth = '1'] = process.argv.slice(2);
const database = await openAt(place);
const clock = createManualClock(Number(now));

const dieAt = dyingAt(step, Number(nth));
const store = createSqlOrderStore(dyingBeforeCommit(database, dieAt));
const bank = createBank();
const settle = createSettleOrder({
  store: {
    ...store,
    async change(id, decide) {
      const after = await store.change(id, decide);
      await dieAt('after the commit');
      return after;
    },
    async add(...made) {
      const added = await store.add(...made);
      await dieAt('after an order is added');
      return added;
    },
  },
  within: createWithin(10_000),
  settings: {
    provider: {
      ...bank,
      async read(paymentId) {
        await dieAt('before the answer of the bank');
        const order = await store.findByPayment('stripe', paymentId);
        if (order === undefined) throw new Error('There is no such order.');
        const isFirst = order.agreed.offer?.kind === 'subscription' && order.cycleOf === null;
        bank.set(order, { status: 'paid', subscriptionId: isFirst ? `sub-${order.id}` : null });
        return bank.truthOf(order);
      },
      subscriptions: {
        ...bank.subscriptions,
        async read(id) {
          await dieAt('before the answer about the subscription');
          const order = await store.findBySubscription('stripe', id);
          if (order?.subscription == null) throw new Error('There is no such subscription.');
          bank.subscribe(order);
          const month = (n: number) => monthsAfter(n, order.createdAt);
          for (const n of [1, 2, 3]) bank.collect(id, { price: 1_000, from: month(n), to: month(n + 1) });
          return bank.known(id);
        },
      },
    },
    manual: undefined,
  },
  clock,
  secrets: systemSecrets,
  limiter: createMemoryRateLimiter(clock),
  write: writeLetter,
  administrators: async () => [],
  recorders: async () => [],
  isProved: async () => true,
  isSuspended: async () => false,
});
await settleAll(database, settle, clock, dieAt);
await database.close();
