import type { Knex } from 'knex';
import type { CatalogueFilter, Sought } from '../../../core/marketplace/catalogue-terms.ts';
import { lastCharacter } from '../last-character.ts';

/** How much one call reads at most. */
export interface Bounds {
  /** The products that a search reads and sorts. */
  readonly sorted: number;
  /** The products that it looks at in the order of the list. */
  readonly walked: number;
}

/** Counting prices reads products, not counts. So it ends earlier. */
const countedPrices = (sorted: number) => Math.ceil(sorted / 4);

/** A condition that few products meet: a term, the start of a word, or a price in the range. */
export type Source = { readonly term: string } | { readonly start: string } | 'price';

interface Count {
  readonly name: string;
  readonly products: number | string | null;
}

/** How to search. The terms that the fewest products have come first, because they are compared first. */
export interface Plan {
  readonly source: Source | 'nothing' | 'too many';
  readonly terms: readonly string[];
}

/**
 * Returns what the fewest products have of all that is wanted. `nothing`: no product has one of them. `too many`: all of
 * them are frequent. Reads at most `mostSorted` counts of each kind.
 */
export async function rarest(
  knex: Knex,
  { terms, start }: Sought,
  { priceFrom, priceTo }: CatalogueFilter,
  mostSorted: number,
): Promise<Plan> {
  const sources = new Map<string, Source>();
  const counts: Knex.QueryBuilder[] = [];
  for (const term of terms) sources.set(term, { term });
  if (terms.length > 0) {
    counts.push(knex('catalogue_terms').whereIn('term', terms).select({ name: 'term' }, 'products'));
  }
  if (start !== undefined) {
    sources.set(' start', { start });
    counts.push(summed(knex, ' start', beginning(knex, start, mostSorted), 'sum(products)'));
  }
  if (priceFrom !== undefined || priceTo !== undefined) {
    sources.set(' price', 'price');
    counts.push(summed(knex, ' price', priced(knex, { priceFrom, priceTo }, countedPrices(mostSorted)), 'count(*)'));
  }
  if (counts.length === 0) return { source: 'too many', terms };
  // Knex mixes up the values of sub-queries in a union of its own.
  const union = counts.map((_, index) => `SELECT * FROM ? AS part_${index}`).join(' UNION ALL ');
  const found: Count[] = await knex.from(knex.raw(`(${union}) AS counts`, counts)).select('name', 'products');
  const byName = new Map(found.map(({ name, products }) => [name, Number(products ?? 0)]));
  let best: { source: Source; products: number } | undefined;
  for (const [name, source] of sources) {
    const products = byName.get(name) ?? 0;
    if (products === 0) return { source: 'nothing', terms };
    const most = source === 'price' ? countedPrices(mostSorted) : mostSorted;
    if (products <= most && products < (best?.products ?? Number.POSITIVE_INFINITY)) best = { source, products };
  }
  const rarity = (term: string) => byName.get(term) ?? 0;
  return { source: best?.source ?? 'too many', terms: terms.toSorted((one, other) => rarity(one) - rarity(other)) };
}

function summed(knex: Knex, name: string, rows: Knex.QueryBuilder, sum: string): Knex.QueryBuilder {
  return knex.from(rows).select(knex.raw(`CAST(? AS text) AS name, ${sum} AS products`, [name]));
}

/**
 * The counts of words with this beginning. The inner query has a start that Postgres does not know when it plans, and no
 * end: so it reads no other rows.
 */
function beginning(knex: Knex, start: string, mostSorted: number): Knex.QueryBuilder {
  const words = knex('catalogue_terms')
    .whereRaw('term >= (SELECT CAST(? AS text))', [start])
    .orderBy('term')
    .limit(mostSorted + 1)
    .select('term', 'products');
  return knex.from(words.as('words')).where('term', '<=', `${start}${lastCharacter}`).select('products').as('counted');
}

function priced(knex: Knex, { priceFrom = 0, priceTo }: CatalogueFilter, mostSorted: number): Knex.QueryBuilder {
  const prices = inPriceOrder(knex, priceFrom)
    .limit(mostSorted + 1)
    .select('price');
  return knex
    .from(prices.as('prices'))
    .modify((query) => {
      if (priceTo !== undefined) query.where('price', '<=', priceTo);
    })
    .select('price')
    .as('priced');
}

/** The products from this price on. */
export function inPriceOrder(knex: Knex, priceFrom: number): Knex.QueryBuilder {
  return knex('catalogue').whereRaw('price >= (SELECT CAST(? AS integer))', [priceFrom]).orderBy(['price', 'id']);
}
