import { expect } from 'chai';
import type { Database } from '../../../adapters/sql/database.ts';
import { createSqlLicenseStore } from '../../../adapters/sql/stores/license-store.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { event } from '../../../core/events/event.ts';
import { by } from '../../support/by.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, must, newLicense } from '../../support/license-acts.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';

const key = keyNumber(1);
const count = 2_000;

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`a license with very many domains on ${name}`, () => {
    let database: Database;
    let place: SqlPlace;
    before(async () => {
      place = await make();
      database = await place.open();
      await actOn(createSqlLicenseStore(database, never)).issue(
        newLicense(key, await addProduct(createSqlProductStore(database)), { maxDomains: 1_000_000 }),
      );
      await database.write(async (trx) => {
        const ordinals = Array.from({ length: count }, (_, n) => n + 1);
        const row = (ordinal: number) => ({ license_id: 1, domain: `d${ordinal}.example`, ordinal, activated_at: 1 });
        await trx.batchInsert('activations', ordinals.map(row), 100);
        await trx('licenses').update({ domains_used: count, activations_made: count });
      });
    });
    after(async () => {
      await database?.close();
      await place?.remove();
    });

    const never = async () => {
      throw new Error('Nothing is verified here.');
    };

    /** Returns the store, and the highest number of rows that one of its statements returned. */
    function watched() {
      let most = 0;
      const seen = (answer: unknown) => {
        const rows = Array.isArray(answer) ? answer : Object(answer).rows;
        most = Math.max(most, Array.isArray(rows) ? rows.length : 0);
      };
      const store = createSqlLicenseStore(
        {
          read: (work) =>
            database.read(async (knex) => {
              const answer = await work(knex);
              seen(answer);
              return answer;
            }),
          write: (work) =>
            database.write((trx) => {
              trx.on('query-response', (_: unknown, { response }: { response: unknown }) => seen(response));
              return work(trx);
            }),
          parts: database.parts,
          migrated: [],
          check: never,
          close: never,
        },
        never,
      );
      return { store, most: () => most };
    }

    itLong('is found without reading more than its 100 newest domains', async () => {
      const { store, most } = watched();
      const { license, domains } = must(await store.find(key));
      expect([license.domainsUsed, domains.length, domains[0]?.domain]).to.deep.equal([
        count,
        100,
        `d${count}.example`,
      ]);
      expect(most()).to.equal(100);
    });

    it('is changed without reading any other domain than the named one', async () => {
      const { store, most } = watched();
      const act = actOn(store);
      await act.activate(key, domain('new.example'), issuedAt);
      await act.deactivate(key, domain('d7.example'), issuedAt);
      await store.change(key, undefined, (license) => ({
        license: { ...license, standing: 'suspended' },
        event: event('license.suspended', key, by, issuedAt),
      }));
      expect(most()).to.be.within(1, 10);
      expect(must(await store.find(key)).license).to.include({ domainsUsed: count, standing: 'suspended' });
    });
  });
}
