import { expect } from 'chai';
import type { Knex } from 'knex';
import { isPostgres } from '../../../adapters/sql/database.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import { isRefused } from '../../../core/refusal.ts';
import { withParts } from '../../bench/seed.ts';
import { storefrontWishes } from '../../bench/storefront.ts';
import { makeStorefront } from '../../bench/storefront-market.ts';
import { planOf, type Statement, statementsOf, stepsOf } from '../../support/query-plans.ts';
import { needing, skipLong } from '../../support/required-service.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';

const products = 20_000;
/** A walk of 2,000 products with their descriptions, or 1,000 that are sorted, and those of the page. */
const mostRows = 4_100;
/** A search, another one if it is corrected, and what is read to correct it. */
const mostStatements = 8;

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`query plans of the catalogue: ${name}`, () => {
    let place: SqlPlace;
    before(async () => {
      place = await make();
      await makeStorefront(place.url, products, 1);
    });
    after(() => place?.remove());

    for (const known of ['new', 'none'] as const) {
      it(`each page reads a bounded number of products; statistics: ${known}`, () =>
        withParts(place.url, async (parts) => {
          const { list } = await parts.get(t.storefront);
          const knex = await (await parts.get(t.database)).read(async (given) => given);
          if (known === 'none' && isPostgres(knex)) await knex.raw('DELETE FROM pg_statistic');
          const wishes = {
            ...storefrontWishes,
            // Nothing matches, although each of them is frequent.
            'words that are never together': { order: 'price_low', search: 'token', priceFrom: 999_999 },
          } as const;
          for (const [title, wish] of Object.entries(wishes)) {
            let after: string | undefined;
            for (let page = 1; page === 1 || (page < 4 && after !== undefined); page++) {
              const statements = await statementsOf(knex, async () => {
                const found = await list({ ...wish, after, limit: 24 });
                if (isRefused(found)) throw new Error(found.reason);
                after = found.next ?? undefined;
              });
              expect(statements.length, title).to.be.at.most(mostStatements);
              for (const one of statements) await check(knex, one, `${title}, page ${page}: ${one.sql}`);
            }
          }
        }));
    }
  });
}

async function check(knex: Knex, statement: Statement, at: string): Promise<void> {
  if (isPostgres(knex)) {
    let read = 0;
    for (const node of await planOf(knex, statement, true)) {
      const table = node['Relation Name'];
      if (table === undefined) continue;
      // Otherwise, going through products in the order of a list reads a page of the table for each of them.
      if (statement.sql.includes('looked') && /_by_(?:price|sales)$/.test(node['Index Name'] ?? ''))
        expect(node['Node Type'], at).to.equal('Index Only Scan');
      if (table !== 'catalogue_terms') expect(node['Node Type'], at).to.not.equal('Seq Scan');
      const left = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
      read += (node['Actual Loops'] ?? 0) * ((node['Actual Rows'] ?? 0) + left);
    }
    expect(read, at).to.be.at.most(mostRows);
    return;
  }
  for (const step of await stepsOf(knex, statement)) {
    expect(step, at).to.not.match(/^SCAN (?:c|p|catalogue|catalogue_terms|products)\b(?! VIRTUAL)/);
    // A price alone would find all products with it.
    if (/^SEARCH c USING .*catalogue_by_(?:price|sales)/.test(step)) {
      expect(step, at).to.match(/\((?:\((?:price|sold),id\)[<>]\(\?,\?\)|rowid)\)/);
    }
  }
}
