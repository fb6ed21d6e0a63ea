import { expect } from 'chai';
import type { Knex } from 'knex';
import { type Database, isPostgres } from '../../../adapters/sql/database.ts';
import { createSqlAccountStore } from '../../../adapters/sql/stores/account-store.ts';
import { createSqlOrderStore } from '../../../adapters/sql/stores/order-store.ts';
import { createSqlPaidPlans } from '../../../adapters/sql/stores/paid-plans.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import type { PlanProducts } from '../../../core/ports/paid-plans.ts';
import { addUser } from '../../support/backends.ts';
import { issuedAt as now } from '../../support/license-acts.ts';
import { addForSale, addOrder } from '../../support/orders.ts';
import { analyze, planOf, statementsOf, stepsOf } from '../../support/query-plans.ts';
import { itLong, needing, skipLong } from '../../support/required-service.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';

const rows = 20_000;

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`the search for plans that differ from what is paid: ${name}`, () => {
    let database: Database;
    let place: SqlPlace;
    let pro: Product;
    before(async () => {
      place = await make();
      database = await place.open();
      const stores = {
        accounts: createSqlAccountStore(database),
        products: createSqlProductStore(database),
        orders: createSqlOrderStore(database),
      };
      const user = await addUser(stores, 'Ada');
      pro = await addForSale(stores, { slug: 'pro-plan' });
      const order = await addOrder(stores, await addForSale(stores, { slug: 'other' }));
      const buyer = { userId: user.id, email: user.email, name: null };
      for (let n = 0; n < 20; n++) await addOrder(stores, pro, { buyer });
      await database.write(async (trx) => {
        await copy(trx, 'users', user.id, { email: "'u' || n" });
        await copy(trx, 'orders', order.id, { token: "'t' || n", payment_id: "'p' || n" });
        await analyze(trx);
      });
    });
    after(async () => {
      await database?.close();
      await place?.remove();
    });

    /** Adds many rows that differ from an existing one in these columns. */
    async function copy(trx: Knex, table: string, id: number, other: Readonly<Record<string, string>>): Promise<void> {
      const columns = Object.keys(await trx(table).where({ id }).first()).filter(
        (one) => one !== 'id' && !(one in other),
      );
      const series = isPostgres(trx)
        ? `generate_series(1, ${rows}) AS n`
        : `(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${rows}) SELECT n FROM s)`;
      await trx.raw(`INSERT INTO ${table} (${columns}, ${Object.keys(other)})
        SELECT ${columns.map((column) => `o.${column}`)}, ${Object.values(other)} FROM ${series}, ${table} AS o WHERE o.id = ${id}`);
    }

    /** Returns the tables that the search reads as a whole. */
    const scanned = (products: PlanProducts) =>
      database.read(async (knex) => {
        const plans = createSqlPaidPlans(database);
        const [statement, ...others] = await statementsOf(knex, () => plans.differing(products, now, 1_000));
        if (statement === undefined) throw new Error('Nothing was read.');
        expect(others).to.deep.equal([]);
        if (!isPostgres(knex)) {
          // The index of those who have paid, from its beginning to its end, is no whole table.
          const steps = await stepsOf(knex, statement);
          return steps.filter((step) => /^SCAN [uol]\b/.test(step) && !step.includes('users_paid_tier'));
        }
        const nodes = (await planOf(knex, statement)).filter((node) => node['Node Type'] === 'Seq Scan');
        // There are no licenses here, so that how they are read says nothing.
        return nodes.map((node) => node['Relation Name']).filter((table) => table === 'users' || table === 'orders');
      });

    itLong('reads only the accounts that have paid, while nothing is sold', async () => {
      expect(await scanned({})).to.deep.equal([]);
    });

    it('reads only the orders of the products that sell plans', async () => {
      expect(await scanned({ pro: pro.id })).to.deep.equal([]);
    });
  });
}
