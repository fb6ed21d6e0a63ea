import { expect } from 'chai';
import type { Knex } from 'knex';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { type Database, isPostgres } from '../../../adapters/sql/database.ts';
import { createSqlAccountStore } from '../../../adapters/sql/stores/account-store.ts';
import { createSqlCustomers } from '../../../adapters/sql/stores/customers.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlOrderStore } from '../../../adapters/sql/stores/order-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { isClaimed } from '../../../adapters/sql/stores/product-versions.ts';
import type { UserId } from '../../../core/id.ts';
import type { Product } from '../../../core/marketplace/product.ts';
import type { LicenseStore } from '../../../core/ports/license-store.ts';
import type { OrderFilter } from '../../../core/ports/order-store.ts';
import { type BoughtItem, createReadBoughtItems } from '../../../core/purchases/bought-items.ts';
import { type Order, orderStates } from '../../../core/purchases/order.ts';
import { addUser } from '../../support/backends.ts';
import { actOn, keyNumber, must, newLicense, issuedAt as now } from '../../support/license-acts.ts';
import { addForSale, addOrder } from '../../support/orders.ts';
import { analyze, planOf, statementsOf, stepsOf } from '../../support/query-plans.ts';
import { itLong, needing, skipLong } from '../../support/required-service.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';

const rows = 20_000;
/** The rows that one statement may read: those that a call looks at, each with its order and some texts. */
const most = 8_200;

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`lists of orders read a bounded part of the table: ${name}`, () => {
    let database: Database;
    let place: SqlPlace;
    let seller: UserId;
    let small: UserId;
    let product: Product;
    before(async () => {
      place = await make();
      database = await place.open();
      const stores = {
        accounts: createSqlAccountStore(database),
        products: createSqlProductStore(database),
        orders: createSqlOrderStore(database),
      };
      seller = (await addUser(stores, 'Sel')).id;
      small = (await addUser(stores, 'Small')).id;
      product = await addForSale(stores, { ownerId: seller });
      // The first order is the only one of its seller, and all others begin with the same text.
      await addOrder(stores, await addForSale(stores, { ownerId: small, slug: 'small' }));
      const { id } = await addOrder(stores, product, { paidAt: now - 9e9 });
      await database.write(async (trx) => {
        const { id: _, ...row } = await trx('orders').where({ id }).first();
        const columns = Object.keys(row).filter(
          (column) => !['token', 'payment_id', 'created_at', 'paid_at'].includes(column),
        );
        const series = isPostgres(trx)
          ? `generate_series(1, ${rows}) AS n`
          : `(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${rows}) SELECT n FROM s)`;
        await trx.raw(`INSERT INTO orders (${columns}, token, payment_id, created_at, paid_at)
          SELECT ${columns.map((column) => `o.${column}`)}, 't' || n, 'p' || n, o.created_at + n, ${now} + n
          FROM ${series}, orders AS o WHERE o.id = ${id} ORDER BY n`);
        await trx.raw(`INSERT INTO order_texts (order_id, text, seller_id, is_live)
          SELECT id, 'zoe' || id || '@example.com', seller_id, is_live FROM orders WHERE id > ${id}`);
        const subscribed = { subscription: '{}', subscription_status: 'active', is_cancelled: 0, yearly: 1 };
        await trx('orders').whereRaw('id % 20 = 0').update(subscribed);
        await analyze(trx);
      });
    });
    after(async () => {
      await database?.close();
      await place?.remove();
    });

    async function check(title: string, work: (knex: Database) => Promise<unknown>): Promise<void> {
      await database.read(async (knex: Knex) => {
        const statements = await statementsOf(knex, () => work({ ...database, read: async (ask) => await ask(knex) }));
        for (const statement of statements) {
          const at = `${title}: ${statement.sql}`;
          if (!isPostgres(knex)) {
            for (const step of await stepsOf(knex, statement))
              expect(step, at).to.not.match(/SCAN (?:orders|order_texts|o|t)\b/);
            continue;
          }
          let read = 0;
          for (const node of await planOf(knex, statement, true)) {
            if (node['Relation Name'] === undefined) continue;
            const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
            read += (node['Actual Loops'] ?? 0) * ((node['Actual Rows'] ?? 0) + removed);
          }
          expect(read, at).to.be.at.most(most);
        }
      });
    }

    const filters: Record<string, () => Partial<OrderFilter>> = {
      'all of a mode': () => ({}),
      'an empty mode': () => ({ isLive: false }),
      'those of a seller': () => ({ sellerId: seller }),
      'those of a seller who has few, which are old': () => ({ sellerId: small }),
      'those of a product': () => ({ productId: product.id }),
      'a product of another seller': () => ({ sellerId: small, productId: product.id }),
      'a state that is rare': () => ({ states: ['held'] }),
      'all states of a seller': () => ({ sellerId: small, states: orderStates }),
      'a rare state of a product': () => ({ productId: product.id, states: ['held'] }),
      'none of a time': () => ({ from: now + 9e9, to: now + 9.1e9 }),
      'old ones': () => ({ to: now + 3 }),
      'many texts': () => ({ search: 'zoe' }),
      'many texts and a rare state': () => ({ search: 'zoe', states: ['held'] }),
      'many texts and a seller who has few': () => ({ search: 'zoe', sellerId: small }),
      'no text': () => ({ search: 'nobody' }),
      'subscriptions of a seller': () => ({ sellerId: small, subscription: 'any' }),
      'subscriptions of a product that has none': () => ({
        sellerId: seller,
        productId: product.id,
        subscription: 'running',
      }),
      'all subscriptions in a state': () => ({ subscription: 'ended' }),
    };
    for (const [title, only] of Object.entries(filters)) {
      it(`of search: ${title}`, async () => {
        const filter = { isLive: true, limit: 50, ...only() };
        await check(title, async (one) => {
          const { search } = createSqlOrderStore(one);
          const { next } = await search(filter);
          if (next) await search({ ...filter, after: next });
        });
      });
    }

    it('of customers, of whom one has most orders', async () => {
      for (const filter of [{}, { sellerId: seller }, { sellerId: small }, { isLive: false }, { search: 'zo' }]) {
        await check('customers', async (one) => {
          const { list } = createSqlCustomers(one);
          const { items } = await list({ isLive: true, limit: 50, ...filter });
          await list({ isLive: true, limit: 50, ...filter, after: items.at(-1)?.email ?? 'a' });
        });
      }
    });

    it('of accounts, templates and payments', async () => {
      await check('others', async (one) => {
        const store = createSqlOrderStore(one);
        for (const filter of [{}, { hasLicense: true }, { search: 'zo' }, { search: 'zo', hasLicense: true }]) {
          await store.listOf(small, { ...filter, limit: 50 });
        }
        await store.findByPayment('stripe', 'none');
        await store.findByToken('none');
        for (const id of [seller, small]) await store.othersSell(id);
      });
    });

    itLong('of what many orders have bought, in two statements however many they are', async () => {
      const neverVerifies = () => Promise.reject(new Error('Nothing is verified here.'));
      const [orders, products] = [createSqlOrderStore(database), createSqlProductStore(database)];
      const licenses = createSqlLicenseStore(database, neverVerifies);
      const statements = async (count: number) => {
        const bought: Order[] = [];
        for (let n = 0; n < count; n++) {
          const one = await addForSale({ products }, { slug: `item-${count}-${n}` });
          const licenseKey = keyNumber(count * 100 + n);
          await actOn(licenses).issue(newLicense(licenseKey, one.id));
          bought.push(await addOrder({ orders }, one, { state: 'paid', paidAt: now, licenseKey }));
        }
        let items: readonly BoughtItem[] = [];
        const sent = await database.read(async (knex) => {
          const one: Database = { ...database, read: async (ask) => await ask(knex) };
          const ports = { licenses: createSqlLicenseStore(one, neverVerifies), products: createSqlProductStore(one) };
          const readItems = createReadBoughtItems({ ...ports, clock: createManualClock(now) });
          return await statementsOf(knex, async () => {
            items = await readItems(bought);
          });
        });
        expect(items.map(({ license, version }) => [license?.key, version])).to.deep.equal(
          bought.map(({ licenseKey }) => [licenseKey, '1']),
        );
        return sent.length;
      };
      expect([await statements(1), await statements(20)]).to.deep.equal([2, 2]);
    });

    it('of the domains of bought licenses, each once', async () => {
      const neverVerifies = () => Promise.reject(new Error('Nothing is verified here.'));
      const key = keyNumber(9_001);
      const count = 2_000;
      await actOn(createSqlLicenseStore(database, neverVerifies)).issue(newLicense(key, product.id));
      await database.write(async (trx) => {
        const { id } = await trx('licenses').where({ key }).first('id');
        const series = isPostgres(trx)
          ? `generate_series(1, ${count}) AS n`
          : `(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s)`;
        await trx.raw(`INSERT INTO activations (license_id, domain, ordinal, activated_at)
          SELECT ${id}, 'd' || n || '.example', n, ${now} FROM ${series}`);
      });
      await database.read(async (knex) => {
        const one: Database = { ...database, read: async (ask) => await ask(knex) };
        let found: Awaited<ReturnType<LicenseStore['findAll']>> = [];
        const [statement] = await statementsOf(knex, async () => {
          found = await createSqlLicenseStore(one, neverVerifies).findAll([key], 3);
        });
        expect(found.map(({ domains }) => domains)).to.deep.equal([
          ['d2000.example', 'd1999.example', 'd1998.example'],
        ]);
        if (!isPostgres(knex)) {
          const steps = await stepsOf(knex, must(statement));
          expect(steps.filter((step) => /SEARCH activations\b.*\(license_id=\?\)/.test(step))).to.have.lengthOf(1);
          expect(steps.filter((step) => step.includes('activations'))).to.have.lengthOf(1);
          return;
        }
        const nodes = await planOf(knex, must(statement), true);
        const reads = nodes.filter((node) => node['Relation Name'] === 'activations');
        expect(reads.map((node) => node['Actual Loops'])).to.deep.equal([1]);
      });
    });

    it('of the events of orders that are forgotten', async () => {
      const unpaid = await addOrder({ orders: createSqlOrderStore(database) }, product, { state: 'expired' });
      await database.write(async (trx) => {
        const statements = await statementsOf(trx, () =>
          createSqlOrderStore({
            ...database,
            read: async (ask) => await ask(trx),
            write: async (ask) => await ask(trx),
          }).forget(unpaid.createdAt + 1, ({ id }) => id === unpaid.id),
        );
        const ofEvents = statements.filter(({ sql }) => sql.includes('audit_log'));
        expect(ofEvents).to.have.lengthOf(2);
        for (const statement of isPostgres(trx) ? [] : ofEvents) {
          for (const step of await stepsOf(trx, statement))
            expect(step).to.match(/^SEARCH audit_log USING INDEX \w+ \((?:subject=\?|type=\? AND at=\?)\)$/);
        }
      });
    });

    it('of a version that nobody has bought', async () => {
      await check('versions', (one) => one.read((knex) => isClaimed(knex, product.id, '9.9')));
    });

    it('of subscriptions: their sums read only their index', async () => {
      await check('recurring', (one) =>
        createSqlOrderStore(one).recurring({ isLive: true, sellerId: seller, from: now - 30 * 86_400_000 }),
      );
    });

    it('of the time that revenue is asked for', async () => {
      for (const filter of [{}, { sellerId: seller }, { productId: product.id }]) {
        await check('revenue', (one) =>
          createSqlOrderStore(one).revenue({ isLive: true, from: now + rows - 100, ...filter }),
        );
      }
    });
  });
}
