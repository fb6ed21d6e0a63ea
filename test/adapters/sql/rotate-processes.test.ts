import { expect } from 'chai';
import type { Database } from '../../../adapters/sql/database.ts';
import { createSqlAccountStore } from '../../../adapters/sql/stores/account-store.ts';
import { createSqlLicenseAliases } from '../../../adapters/sql/stores/license-aliases.ts';
import { createSqlOrderStore } from '../../../adapters/sql/stores/order-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { createSqlWebhookStore } from '../../../adapters/sql/stores/webhook-store.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import { addUser } from '../../support/backends.ts';
import { issuedAt as now } from '../../support/license-acts.ts';
import { addForSale, addOrder, createBank, settleOn } from '../../support/orders.ts';
import { needing, skipLong } from '../../support/required-service.ts';
import { runProcess } from '../../support/run-process.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';
import { addEndpoint } from '../../support/webhooks.ts';

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`a process that is killed while it replaces a key: ${name}`, () => {
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

    for (const [step, isDone] of [
      ['before the commit', false],
      ['after the commit', true],
    ] as const) {
      it(`leaves ${isDone ? 'all of it' : 'nothing of it'}: ${step}`, async () => {
        const stores = {
          accounts: createSqlAccountStore(database),
          products: createSqlProductStore(database),
          orders: createSqlOrderStore(database),
          webhooks: createSqlWebhookStore(database),
        };
        const seller = await addUser(stores, isDone ? 'Ada' : 'Bob');
        await addEndpoint(stores, seller.id, { isLive: true, createdAt: now - 9 });
        const product = await addForSale(stores, { ownerId: seller.id, slug: `jar-${seller.name}` });
        await database.write((trx) => trx('products').where({ id: product.id }).update({ rotations_per_year: 1 }));
        const order = await addOrder(stores, product);
        const bank = createBank();
        bank.set(order, { status: 'paid' });
        await settleOn(stores, bank)(order.id);
        const former = (await stores.orders.find(order.id))?.licenseKey as LicenseKey;

        expect(await runProcess('rotate-process.ts', place.url, former, step)).to.equal('SIGKILL');

        const present = (await stores.orders.find(order.id))?.licenseKey as LicenseKey;
        expect(present !== former).to.equal(isDone);
        const aliases = createSqlLicenseAliases(database);
        expect((await aliases.find(former))?.license).to.equal(isDone ? present : undefined);
        expect((await aliases.of(present)).length).to.equal(isDone ? 1 : 0);
        const count = async (table: string, where: object) =>
          Number((await database.read((knex) => knex(table).where(where).count({ rows: '*' }).first()))?.rows);
        expect([
          await count('licenses', { key: present }),
          await count('audit_log', { type: 'license.rotated', subject: present }),
          await count('webhook_deliveries', { type: 'license.rotated' }),
          await count('mails', { kind: 'license-rotated' }),
          await count('order_texts', { order_id: order.id, text: present.toLowerCase() }),
        ]).to.deep.equal(isDone ? [1, 1, 1, 1, 1] : [1, 0, 0, 0, 1]);
      });
    }
  });
}
