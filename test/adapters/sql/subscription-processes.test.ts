import { expect } from 'chai';
import type { Database } from '../../../adapters/sql/database.ts';
import { createSqlOrderStore } from '../../../adapters/sql/stores/order-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { monthsAfter } from '../../../core/licensing/ends.ts';
import { agreedOffer } from '../../../core/purchases/new-order.ts';
import { day } from '../../../core/time.ts';
import { lease } from '../../../core/work/work.ts';
import { must, issuedAt as now } from '../../support/license-acts.ts';
import { addForSale, addOrder, newOrder } from '../../support/orders.ts';
import { needing, skipLong } from '../../support/required-service.ts';
import { runProcess } from '../../support/run-process.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';
import { offers } from '../../support/subscriptions.ts';

/** The step at which the process dies, and how often it has reached it then. */
const deaths = [
  ['before the answer about the subscription', 1],
  ['before the answer about the subscription', 2],
  ['before the answer of the bank', 2],
  ['before the commit', 2],
  ['before the commit', 3],
  ['before the commit', 4],
  ['after an order is added', 1],
  ['after an order is added', 3],
  ['after the commit', 2],
  ['after the commit', 4],
  ['before the work is settled', 1],
] as const;

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`a process that is killed while it looks at a subscription: ${name}`, () => {
    let place: SqlPlace;
    let database: Database;
    before(async () => {
      place = await make();
      database = await place.open();
    });
    after(async () => {
      await database?.close();
      await place?.remove();
    });

    const run = (at: number, ...more: string[]) =>
      runProcess('subscription-process.ts', place.url, String(at), ...more);

    for (const [n, [step, nth]] of deaths.entries()) {
      it(`leaves the same as one that lives: ${step}, for the ${nth}. time`, async () => {
        const [orders, products] = [createSqlOrderStore(database), createSqlProductStore(database)];
        // Each number of a receipt is that of one seller, here the operator: so only their distance is known.
        const product = await addForSale({ products }, { slug: `jar-${n}`, price: 1_000 });
        const made = newOrder(product, { buyer: { userId: null, email: `buyer${n}@example.com`, name: null } });
        const agreed = { ...made.agreed, offer: agreedOffer(offers.monthly) };
        const { id } = await addOrder({ orders }, product, { ...made, agreed });
        // The second process begins when the lease of the first one has ended, with the work that is due then.
        const at = now + 10 + n * 2 * lease;
        expect(await run(at, step, String(nth))).to.equal('SIGKILL');
        expect(await run(at + lease)).to.equal(0);

        const first = must(await orders.find(id));
        const cycles = await orders.cyclesOf(id);
        const all = [first, ...cycles];
        expect(all.map(({ state }) => state)).to.deep.equal(['paid', 'paid', 'paid', 'paid']);
        const numbers = all.map(({ number }) => Number(number)).sort((a, b) => a - b);
        expect(numbers).to.deep.equal([0, 1, 2, 3].map((one) => Number(numbers[0]) + one));
        const month4 = monthsAfter(4, now);
        const { license } = must(await orders.heldOf(must(first.licenseKey ?? undefined)));
        expect(license).to.include({ expiresAt: month4 + 7 * day, updatesUntil: month4, standing: 'active' });
        expect(first.subscription).to.include({ paidTo: month4, status: 'active' });
        const kinds: string[] = await database.read((knex) =>
          knex('mails')
            .where({ address: `buyer${n}@example.com` })
            .orderBy('kind')
            .pluck('kind'),
        );
        expect(kinds).to.deep.equal(['order-paid', 'order-renewed', 'order-renewed', 'order-renewed']);
      });
    }
  });
}
