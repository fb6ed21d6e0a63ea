import { expect } from 'chai';
import type { Knex } from 'knex';
import { isPostgres } from '../../../adapters/sql/database.ts';
import type { Parts } from '../../../apps/wiring/compose.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import { toProductId, toUserId } from '../../../core/id.ts';
import type { LicensePlace } from '../../../core/ports/license-search.ts';
import type { ProductSearch } from '../../../core/ports/product-store.ts';
import { isRefused } from '../../../core/refusal.ts';
import { wishes } from '../../bench/search.ts';
import { makeSearchMarket, type SearchMarket, seekers } from '../../bench/search-market.ts';
import { withParts } from '../../bench/seed.ts';
import { domain } from '../../support/license-acts.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';

/** SQLite plans without looking at the rows. Postgres reads a small table as a whole. */
const licenses = { SQLite: 8_200, Postgres: 50_000 };
const now = Date.UTC(2026, 0, 1);

interface Statement {
  readonly sql: string;
  readonly bindings: readonly Knex.RawBinding[];
}

for (const { name, skip, make } of sqlKinds) {
  describe(`query plans: ${name}`, () => {
    let place: SqlPlace;
    let market: SearchMarket;
    before(async function () {
      if (skip !== undefined) this.skip();
      this.timeout(180_000);
      place = await make();
      market = await makeSearchMarket(place.url, licenses[name], now);
    });
    after(() => place?.remove());

    /** Runs the work and returns the statements that it sent. */
    async function statementsOf(knex: Knex, work: () => Promise<unknown>): Promise<Statement[]> {
      const found: Statement[] = [];
      const note = ({ sql, bindings = [] }: Statement) => found.push({ sql, bindings });
      knex.on('query', note);
      await work().finally(() => knex.removeListener('query', note));
      expect(found).to.not.deep.equal([]);
      return found;
    }

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

    it('lists and searches of licenses read an index, never a whole table, for sellers and administrators', function () {
      this.timeout(120_000);
      return withParts(place.url, async (parts) => {
        const list = (await parts.get(t.sellerLicenses)).list;
        for (const [title, wish] of Object.entries(wishes(now))) {
          for (const seeker of ['few', 'many', 'all'] as const) {
            let after: LicensePlace | undefined;
            const asked = wish(market.samples[seeker === 'all' ? 'other' : seeker]);
            await check(`${title}, ${seeker}`, parts, async () => {
              const found = await list({ ...asked, after, limit: 20 }, seekers[seeker]);
              if (isRefused(found)) throw new Error(found.reason);
              after = found.next;
            });
          }
        }
      });
    });

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

const bigTables = /^(?:l|t|f|p|c|licenses|license_texts|activations|products|product_texts|(?:product|license)_usage)$/;

async function checkPlan(knex: Knex, { sql, bindings }: Statement, title: string): Promise<void> {
  const given = sql.replaceAll(/\$\d+/g, '?');
  const at = `${title}: ${sql}`;
  if (isPostgres(knex)) {
    const { rows } = await knex.raw(`EXPLAIN (FORMAT JSON) ${given}`, bindings);
    for (const node of nodesOf(rows[0]['QUERY PLAN'][0].Plan)) {
      if (!grownTables.includes(node['Relation Name'] ?? '')) continue;
      expect(node['Node Type'], at).to.not.equal('Seq Scan');
    }
    return;
  }
  const steps: { detail: string }[] = await knex.raw(`EXPLAIN QUERY PLAN ${given}`, bindings);
  const isBounded = /\) as `c`/.test(sql);
  for (const { detail } of steps) {
    const [, act, table = ''] = /^(SCAN|SEARCH) (\w+)/.exec(detail) ?? [];
    if (act === 'SCAN' && !isBounded) expect(table, `${at}: ${detail}`).to.not.match(bigTables);
    if (!isBounded) expect(detail, at).to.not.include('TEMP B-TREE');
  }
}

/** The tables that the fill makes large. Postgres reads smaller ones as a whole. */
const grownTables = ['licenses', 'license_texts', 'activations'];

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Node Type': string;
  readonly Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  const { Plans = [], ...own } = node;
  return [own, ...Plans.flatMap(nodesOf)];
}
