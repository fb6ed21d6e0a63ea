import { expect } from 'chai';
import type { Knex } from 'knex';
import { isPostgres } from '../../../adapters/sql/database.ts';
import type { Parts } from '../../../apps/wiring/compose.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import { toProductId, toUserId } from '../../../core/id.ts';
import type { Count } from '../../../core/ports/license-counts.ts';
import type { LicensePlace } from '../../../core/ports/license-search.ts';
import type { ProductSearch } from '../../../core/ports/product-store.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import type { LicensePage, LicenseWish } from '../../../core/selling/finding.ts';
import { wishes } from '../../bench/search.ts';
import { type Line, makeSearchMarket, type SearchMarket, seekers } from '../../bench/search-market.ts';
import { withParts } from '../../bench/seed.ts';
import { domain } from '../../support/license-acts.ts';
import { checkBounded, planOf, type Statement, statementsOf, stepsOf } from '../../support/query-plans.ts';
import { needing, skipLong } from '../../support/required-service.ts';
import { makeSkewedMarket, statistics } from '../../support/skewed-market.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';

/** SQLite plans without looking at the rows. Postgres reads a small table as a whole. */
const licenses = { SQLite: 8_200, Postgres: 50_000 };
const now = Date.UTC(2026, 0, 1);

for (const { name, skip, make } of sqlKinds) {
  needing(skipLong ?? skip).describe(`query plans: ${name}`, () => {
    let place: SqlPlace;
    let market: SearchMarket;
    before(async () => {
      place = await make();
      market = await makeSearchMarket(place.url, licenses[name], now);
    });
    after(() => place?.remove());

    /** Checks every statement of each page, of at most three pages. */
    async function check(title: string, parts: Parts, work: () => Promise<unknown>): Promise<void> {
      const database = await parts.get(t.database);
      for (let page = 1; page <= 3; page++) {
        const statements = await database.read(async (knex) => ({
          knex,
          found: await statementsOf(knex, work),
        }));
        for (const statement of statements.found) await checkPlan(statements.knex, statement, `${title}, page ${page}`);
      }
    }

    it('lists and searches of licenses read an index, never a whole table, for sellers and administrators', () =>
      withParts(place.url, async (parts) => {
        const list = (await parts.get(t.sellerLicenses)).list;
        for (const [title, wish] of Object.entries(wishes(now))) {
          for (const seeker of ['few', 'many', 'all'] as const) {
            let after: LicensePlace | undefined;
            const asked = wish(market.samples[seeker === 'all' ? 'other' : seeker]);
            await check(`${title}, ${seeker}`, parts, async () => {
              const found = await list({ ...asked, after, limit: 20 }, seekers[seeker]);
              if (isRefused(found)) throw new Error(found.reason);
              after = found.next ?? undefined;
            });
          }
        }
      }));

    it('lists and searches of products read an index', () =>
      withParts(place.url, async (parts) => {
        const store = await parts.get(t.productStore);
        for (const ownerId of [undefined, toUserId(2)]) {
          for (const search of ['', 'product']) {
            for (const state of [undefined, 'published', 'archived'] as const) {
              const asked: ProductSearch = { isLive: true, ownerId, search, state, limit: 2 };
              let after: ProductSearch['after'];
              await check(`products: ${JSON.stringify(asked)}`, parts, async () => {
                after = (await store.search({ ...asked, after })).next;
              });
            }
          }
        }
      }));

    it('figures of use, notes and neighbours are found by the primary key or the license', () =>
      withParts(place.url, async (parts) => {
        const [figures, search] = [await parts.get(t.usageFigures), await parts.get(t.licenseSearch)];
        const { key, domain: name } = market.samples.many;
        const range = { from: now - 86_400_000, to: now, by: 'day' } as const;
        await check('use of a product', parts, () => figures.ofProduct(toProductId(3), range));
        await check('use of a license', parts, () => figures.ofLicense(key, range));
        await check('notes', parts, () => search.notesOf(key));
        await check('neighbours', parts, () => search.domainsNear(key, [domain(name)]));
      }));
  });
}

for (const { name, skip, make } of sqlKinds) {
  for (const known of statistics) {
    needing(skipLong ?? skip).describe(
      `query plans: ${name}, licenses of very different sellers, statistics: ${known}`,
      () => {
        let place: SqlPlace;
        before(async () => {
          place = await make();
        });
        after(() => place?.remove());

        it('each page of each list and search reads a bounded part of one index', async () => {
          const searchers = await makeSkewedMarket(place.url, known, now);
          await withParts(place.url, async (parts) => {
            const list = (await parts.get(t.sellerLicenses)).list;
            const knex = await (await parts.get(t.database)).read(async (given) => given);
            for (const [title, wish] of Object.entries(allWishes)) {
              for (const { name: searcher, seller, line } of searchers) {
                let after: LicensePlace | undefined;
                for (let page = 1; page === 1 || (page < 3 && after !== undefined); page++) {
                  const statements = await statementsOf(knex, async () => {
                    after = placeOf(await list({ ...wish(line), after, limit: 20 }, seller));
                  });
                  expect(statements.length).to.be.at.most(12);
                  for (const one of statements) await checkBounded(knex, one, `${title}, ${searcher}, page ${page}`);
                }
              }
            }
          });
        });

        it('the count of active licenses looks at a bounded number of them, and says so', () =>
          withParts(place.url, async (parts) => {
            const counts = await parts.get(t.licenseCounts);
            const knex = await (await parts.get(t.database)).read(async (given) => given);
            for (const ownerId of [1, 2].map(toUserId)) {
              for (const isLive of [true, false]) {
                let count: Count | undefined;
                const found = await statementsOf(knex, async () => {
                  count = await counts.active({ ownerId, isLive }, now);
                });
                expect(count?.isAtLeast).to.equal(ownerId === 2 && isLive);
                for (const one of found) await checkBounded(knex, one, `active of ${ownerId}, ${isLive}`);
              }
            }
          }));
      },
    );
  }
}

/** Also the lists that are rarely asked for. */
const allWishes = {
  ...wishes(now),
  'revoked licenses': () => ({ status: 'revoked' }),
  'suspended licenses, oldest first': () => ({ status: 'suspended', order: 'oldest' }),
  'suspended licenses that expire first': () => ({ status: 'suspended', order: 'expires' }),
  'active licenses that expire first': () => ({ status: 'active', order: 'expires' }),
  'expired licenses that expired first': () => ({ status: 'expired', order: 'expires' }),
  'suspended licenses of a product': ({ product }) => ({ product: `product-${product}`, status: 'suspended' }),
  'licenses of a product that expire first': ({ product }) => ({ product: `product-${product}`, order: 'expires' }),
  'oldest licenses of a product': ({ product }) => ({ product: `product-${product}`, order: 'oldest' }),
  'licenses by a text that none has': () => ({ search: 'zebra' }),
  'licenses by the start of a reference': () => ({ search: 'order-' }),
} as const satisfies Record<string, (line: Line) => Omit<LicenseWish, 'limit'>>;

function placeOf(page: LicensePage | Refused): LicensePlace | undefined {
  if (isRefused(page)) throw new Error(page.reason);
  return page.next ?? undefined;
}

const bigTables = /^(?:l|t|f|p|c|licenses|license_texts|activations|products|product_texts|(?:product|license)_usage)$/;

async function checkPlan(knex: Knex, statement: Statement, title: string): Promise<void> {
  const { sql } = statement;
  const at = `${title}: ${sql}`;
  if (isPostgres(knex)) {
    for (const node of await planOf(knex, statement)) {
      if (!grownTables.includes(node['Relation Name'] ?? '')) continue;
      expect(node['Node Type'], at).to.not.equal('Seq Scan');
    }
    return;
  }
  const isBounded = /\) as `c`/.test(sql);
  for (const detail of await stepsOf(knex, statement)) {
    const [, act, table = ''] = /^(SCAN|SEARCH) (\w+)/.exec(detail) ?? [];
    if (act === 'SCAN' && !isBounded) expect(table, `${at}: ${detail}`).to.not.match(bigTables);
    if (!isBounded) expect(detail, at).to.not.include('TEMP B-TREE');
  }
}

/** The tables that the fill makes large. Postgres reads smaller ones as a whole. */
const grownTables = ['licenses', 'license_texts', 'activations'];
