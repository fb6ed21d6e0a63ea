import { expect } from 'chai';
import { isPostgres } from '../../../adapters/sql/database.ts';
import { createSqlProductStore } from '../../../adapters/sql/stores/product-store.ts';
import { must } from '../../support/license-acts.ts';
import { planOf, statementsOf, stepsOf } from '../../support/query-plans.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { sqlKinds } from '../../support/sql-databases.ts';

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`the search for the product with an id of EDD: ${name}`, () => {
    itLong('reads an index', async () => {
      const place = await make();
      const database = await place.open();
      try {
        const plan = await database.read(async (knex) => {
          const [statement] = await statementsOf(knex, () => createSqlProductStore(database).findPublicEddItem(8));
          if (!isPostgres(knex)) return await stepsOf(knex, must(statement));
          // Otherwise it would read a small table as a whole.
          return await knex.transaction(async (trx) => {
            await trx.raw('SET LOCAL enable_seqscan = off');
            return await planOf(trx, must(statement));
          });
        });
        expect(JSON.stringify(plan)).to.include('products_edd_item_index');
      } finally {
        await database.close();
        await place.remove();
      }
    });
  });
}
