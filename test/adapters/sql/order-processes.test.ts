import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Database } from '../../../adapters/sql/database.ts';
import { createSqlAccountStore } from '../../../adapters/sql/stores/account-store.ts';
import { createSqlOrderStore } from '../../../adapters/sql/stores/order-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { createSqlWebhookStore } from '../../../adapters/sql/stores/webhook-store.ts';
import { lease } from '../../../core/work/work.ts';
import { addUser } from '../../support/backends.ts';
import { issuedAt as now } from '../../support/license-acts.ts';
import { addForSale, addOrder } from '../../support/orders.ts';
import { needing, skipLong } from '../../support/required-service.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';
import { addEndpoint } from '../../support/webhooks.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const steps = [
  'before the answer of the bank',
  'before the commit',
  'after the commit',
  'before the work is settled',
  'after the work is settled',
];

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`a process that is killed while it delivers an order: ${name}`, function () {
    this.timeout(120_000);
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

    async function run(at: number, ...more: string[]) {
      const args = ['--import', 'tsx', 'test/support/order-process.ts', place.url, String(at), ...more];
      const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
      const [code, signal] = await once(child, 'exit');
      return signal ?? code;
    }
    const count = async (table: string, where: object = {}): Promise<number> => {
      const row = await database.read((knex) => knex(table).where(where).count({ count: '*' }).first());
      return Number(row?.count);
    };

    for (const [n, step] of steps.entries()) {
      it(`leaves nothing undone, and nothing is done twice: ${step}`, async () => {
        const stores = {
          accounts: createSqlAccountStore(database),
          products: createSqlProductStore(database),
          orders: createSqlOrderStore(database),
          webhooks: createSqlWebhookStore(database),
        };
        const seller = await addUser(stores, `Seller${n}`);
        await addEndpoint(stores, seller.id, { isLive: true, createdAt: now - 9 });
        const product = await addForSale(stores, { ownerId: seller.id, slug: `jar-${n}` });
        const order = await addOrder(stores, product, {
          buyer: { userId: null, email: `buyer${n}@example.com`, name: null },
        });
        expect(await run(now + 10, step)).to.equal('SIGKILL');
        expect(await run(now + 10 + lease)).to.equal(0);
        const after = await stores.orders.find(order.id);
        expect(after).to.deep.include({ state: 'paid', number: 1, revision: 1 });
        const told = await database.read((knex) =>
          knex('webhook_deliveries as d')
            .join('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
            .where('e.owner_id', seller.id)
            .orderBy('d.type')
            .pluck('d.type'),
        );
        expect({
          licenses: await count('licenses', { product_id: product.id }),
          sold: await count('products', { id: product.id, sold: 1 }),
          mails: await count('mails', { address: `buyer${n}@example.com` }),
          notices: await count('notifications', { user_id: seller.id }),
          paid: await count('audit_log', { type: 'order.paid', subject: String(order.id) }),
          work: await count('work', { kind: 'order' }),
          told,
        }).to.deep.equal({
          licenses: 1,
          sold: 1,
          mails: 1,
          notices: 1,
          paid: 1,
          work: 0,
          told: ['license.issued', 'order.paid'],
        });
      });
    }
  });
}
