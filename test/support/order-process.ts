import type { Knex } from 'knex';
import { createMemoryRateLimiter } from '../../adapters/limits/memory.ts';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { createSqlLicenseStore } from '../../adapters/sql/stores/license-store.ts';
import { createSqlOrderStore } from '../../adapters/sql/stores/order-store.ts';
import { createSqlProductStore } from '../../adapters/sql/stores/product-store.ts';
import { createWithin } from '../../adapters/within.ts';
import { toOrderId } from '../../core/id.ts';
import type { PaymentProvider } from '../../core/ports/payments.ts';
import { createRenewing } from '../../core/purchases/renewing.ts';
import { createSettleOrder } from '../../core/purchases/settle.ts';
import { good } from './good.ts';
import { writeLetter } from './letters.ts';
import { createBank } from './orders.ts';
import { type DieAt, dyingAt, dyingBeforeCommit, openAt, settleAll } from './process-parts.ts';

// A process that looks at the payments of orders until nothing is due at the given time. Usage:
// order-process.ts <database> <now> <step> [order] [offer]. Kills itself at that step; at `<step> × 2` when it is reached for the
// second time. With an offer, first renews or upgrades the license of that order: then only this new order is paid at its bank.
// Else all are paid. With `facts` and JSON in their place, these are what the bank says besides.

const [place = '', now = '', step, origin, offer] = process.argv.slice(2);
const database = await openAt(place);
const clock = createManualClock(Number(now));
let phase = '';

const [what, times] = (step ?? '').split(' × ');
const die = dyingAt(what, Number(times ?? 1));
const facts = origin === 'facts' ? JSON.parse(offer ?? '{}') : {};
const dieAt: DieAt = (reached) => die(`${phase}${reached}`);

/** Ends the process inside of a transaction, after the first write of a table. */
function dieAfterWrites(trx: Knex.Transaction): void {
  trx.on('query-response', (_: unknown, { sql }: { sql: string }) => {
    for (const [, table] of sql.matchAll(/\b(?:insert into|update|delete from)\s+[`"]?(\w+)/gi)) {
      void dieAt(`after ${table} are written`);
    }
  });
}

const dying = dyingBeforeCommit(database, dieAt);
const orders = createSqlOrderStore({
  ...dying,
  write: (work) =>
    dying.write((trx) => {
      dieAfterWrites(trx);
      return work(trx);
    }),
});
const store: typeof orders = {
  ...orders,
  async add(...order) {
    const added = await orders.add(...order);
    await dieAt('after the commit');
    return added;
  },
  async change(id, decide) {
    const after = await orders.change(id, decide);
    await dieAt('after the commit');
    return after;
  },
};
const bank = createBank();
const { start }: PaymentProvider = bank;
let paid: number | undefined;
const ports = {
  store,
  within: createWithin(10_000),
  settings: {
    ...{ manual: undefined, test: undefined, takesProvider: true },
    provider: {
      ...bank,
      async start(...asked: Parameters<PaymentProvider['start']>) {
        const started = await start(...asked);
        await dieAt('before the page of the bank is known');
        return started;
      },
      async read(paymentId: string) {
        await dieAt('before the answer of the bank');
        const order = await store.findByPayment('stripe', paymentId);
        if (order === undefined) throw new Error('There is no such order.');
        bank.set(order, paid === undefined || paid === order.id ? { status: 'paid', ...facts } : {});
        return bank.truthOf(order);
      },
    },
  },
  clock,
  secrets: systemSecrets,
  limiter: createMemoryRateLimiter(clock),
  write: writeLetter,
  administrators: async () => [],
  recorders: async () => [],
  isProved: async () => true,
  isSuspended: async () => false,
};

if (offer !== undefined && origin !== 'facts') {
  phase = 'ordering: ';
  const renewing = createRenewing({
    ...ports,
    usdc: { begin: async () => undefined, takes: async () => false },
    products: createSqlProductStore(database),
    licenses: createSqlLicenseStore(database, () => Promise.reject(new Error('Nothing is verified here.'))),
  });
  const bought = await store.find(toOrderId(Number(origin)));
  if (bought === undefined) throw new Error('There is no such order.');
  const addresses = { done: 'https://example.com/done', cancelled: 'https://example.com' };
  const begun = good(await renewing.begin(bought, { offer, client: '192.0.2.7' }, undefined, () => addresses));
  paid = begun.order.id;
  await store.lookAt(begun.order.id, clock.now());
  phase = '';
}

const settle = createSettleOrder(ports);
await settleAll(database, settle, clock, dieAt);
await database.close();
