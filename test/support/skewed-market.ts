import { t } from '../../apps/wiring/tokens.ts';
import type { Seller } from '../../core/selling/seller.ts';
import { fillLicenses } from '../bench/license-fill.ts';
import { insertSellers, type Line, lineOf, seekers } from '../bench/search-market.ts';
import { withParts } from '../bench/seed.ts';
import { analyze } from './query-plans.ts';

/** The rows that the planner's statistics cover: none, the first few, or all. */
export const statistics = ['none', 'old', 'new'] as const;
export type Statistics = (typeof statistics)[number];

/** Who looks, and a license that they find. */
export interface Searcher {
  readonly name: string;
  readonly seller: Seller;
  readonly line: Line;
}

const [oldest, tests, last] = [5, 10, 20_010];

/**
 * Fills a new database: one seller has 5 licenses, which are the oldest. Another has 5 test licenses, then 20,000 live ones
 * in one product.
 */
export async function makeSkewedMarket(url: string, known: Statistics, now: number): Promise<Searcher[]> {
  const analyzeAll = () => withParts(url, async (parts) => (await parts.get(t.database)).read(analyze));
  await withParts(url, async (parts) =>
    (await parts.get(t.database)).write(async (trx) => {
      await insertSellers(trx, 2);
      await trx('products').where({ id: 4 }).update({ is_live: 0 });
    }),
  );
  const filling = {
    owner: `CASE WHEN number <= ${oldest} THEN 'few' WHEN number <= ${tests} THEN 'test' ELSE 'many' END`,
    nth: 'number',
    product: "CASE owner WHEN 'few' THEN 1 WHEN 'test' THEN 4 ELSE 3 END",
    now,
  };
  await fillLicenses(url, { ...filling, first: 1, last: tests });
  if (known === 'old') await analyzeAll();
  await fillLicenses(url, { ...filling, first: tests + 1, last });
  if (known === 'new') await analyzeAll();
  const test = { mode: 'test' } as const;
  const searchers = [
    { name: 'the seller with 5', seller: seekers.few, id: 2 },
    { name: 'the seller with 20,000', seller: seekers.many, id: 10_000 },
    { name: 'the seller with 20,000, test mode', seller: { ...seekers.many, ...test }, id: 8 },
    { name: 'an administrator', seller: seekers.all, id: 15_000 },
    { name: 'an administrator, test mode', seller: { ...seekers.all, ...test }, id: 8 },
  ] as const;
  return await withParts(url, async (parts) => {
    const database = await parts.get(t.database);
    return await database.read((knex) =>
      Promise.all(searchers.map(async ({ id, ...one }) => ({ ...one, line: await lineOf(knex, id) }))),
    );
  });
}
