import { expect } from 'chai';
import type { Knex } from 'knex';
import { remakeCatalogue } from '../../../adapters/sql/catalogue/remake.ts';
import type { Database } from '../../../adapters/sql/database.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import { withParts } from '../../bench/seed.ts';
import { makeStorefront } from '../../bench/storefront-market.ts';
import { deferred } from '../../support/deferred.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { sqlKinds } from '../../support/sql-databases.ts';

const products = 40;
const tables = { catalogue: ['id'], catalogue_terms: ['term'], catalogue_spellings: ['spelling', 'term'] };

const all = (knex: Knex) =>
  Promise.all(Object.entries(tables).map(([table, key]) => knex(table).select('*').orderBy(key)));

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`the search index made anew: ${name}`, () => {
    /** Does the work on a market of its own. */
    async function onMarket(work: (database: Database) => Promise<void>): Promise<void> {
      const place = await make();
      try {
        await makeStorefront(place.url, products, 1);
        await withParts(place.url, async (parts) => work(await parts.get(t.database)));
      } finally {
        await place.remove();
      }
    }

    itLong('is right again, whatever was in it', () =>
      onMarket(async (database) => {
        const knex = await database.read(async (given) => given);
        const before = await all(knex);
        expect(before.every((rows) => rows.length > 0)).to.equal(true);
        await database.write(async (trx) => {
          await trx('catalogue').where('id', '<', 10).delete();
          await trx('catalogue_terms').update({ products: 7, described: 3 });
          await trx('catalogue_terms').insert({ term: 'nowhere', kind: 'word', products: 1, described: 0 });
          await trx('catalogue_spellings').delete();
        });
        expect(await all(knex)).to.not.deep.equal(before);
        expect(await remakeCatalogue(database)).to.equal(before[0]?.length);
        expect(await all(knex)).to.deep.equal(before);
      }),
    );

    itLong('waits while somebody changes a product, and then has the change', () =>
      onMarket(async (database) => {
        const [changed, end] = [deferred(), deferred()];
        const change = database.write(async (trx) => {
          await trx('products').where('id', 1).update({ sold: 7 });
          changed.resolve();
          await end.promise;
        });
        await changed.promise;
        const remade = remakeCatalogue(database);
        end.resolve();
        await change;
        expect(await remade).to.equal(products);
        const row = await database.read((knex) => knex('catalogue').where('id', 1).first('sold'));
        expect(row?.sold).to.equal(7);
      }),
    );
  });
}
