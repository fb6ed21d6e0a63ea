import { expect } from 'chai';
import { openInMemoryVerifier, openSqliteInMemory } from '../../../adapters/sql/sqlite/in-memory.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense, outcome } from '../../support/license-acts.ts';

const shop = domain('shop.example');

describe('a change that the database refuses', () => {
  it('fails alone. The other changes of its batch are made once, with one event each', async () => {
    const database = await openSqliteInMemory();
    try {
      const act = actOn(createSqlLicenseStore(database, openInMemoryVerifier(database).verify));
      const productId = await addProduct(createSqlProductStore(database), 'batches');
      const keys = Array.from({ length: 40 }, (_, index) => keyNumber(index + 1));
      const [broken = keyNumber(1), ...others] = keys;
      await act.issue(...keys.map((key) => newLicense(key, productId, { maxDomains: 1 })));
      await act.activate(broken, shop, issuedAt);
      await database.write((trx) => trx('licenses').where({ key: broken }).update({ domains_used: 0 }));
      const failed = act.deactivate(broken, shop, issuedAt).catch((error: unknown) => error);
      const made = await Promise.all(others.map((key) => act.activate(key, shop, issuedAt)));
      expect(await failed).to.have.property('code', 'SQLITE_CONSTRAINT');
      expect(new Set(made.map(outcome))).to.deep.equal(new Set(['ok']));
      const events = await database.read((knex) =>
        knex('audit_log').where({ type: 'license.activated' }).pluck('subject'),
      );
      expect(events.toSorted()).to.deep.equal(keys.toSorted());
    } finally {
      await database.close();
    }
  });
});
