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

/** No term begins with a space. */
const startName = ' start';

/** Counting prices reads products, not counts. So it ends earlier. */
const countedPrices = (sorted: number) => Math.ceil(sorted / 4);

/** A condition that few products meet: a term, the start of a word, or a price in the range. */
export type Source = { readonly term: string } | { readonly start: string } | 'price';

interface Count {
  readonly name: string;
  readonly products: number | string | null;
  readonly described: number | string | null;
}

/** What the terms of a product must contain. */
export interface Condition {
  /** A term between spaces, or the start of one after a space. */
  readonly text: string;
  /** Whether there are products in which only the description has it. */
  readonly isDescribed: boolean;
}

/** How to search. */
export interface Plan {
  readonly source: Source | 'nothing' | 'too many';
  /** What the source does not ensure. What the fewest products have comes first, because it is compared first. */
  readonly conditions: readonly Condition[];
}

/**
 * Finds what the fewest products have of all that is wanted. `nothing`: no product has one of them. `too many`: all of
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
    counts.push(knex('catalogue_terms').whereIn('term', terms).select({ name: 'term' }, 'products', 'described'));
  }
  if (start !== undefined) {
    sources.set(startName, { start });
    counts.push(summed(knex, startName, beginning(knex, start, mostSorted), 'sum(products)', 'sum(described)'));
  }
  if (priceFrom !== undefined || priceTo !== undefined) {
    sources.set(' price', 'price');
    counts.push(
      summed(knex, ' price', priced(knex, { priceFrom, priceTo }, countedPrices(mostSorted)), 'count(*)', '0'),
    );
  }
  if (counts.length === 0) return { source: 'too many', conditions: [] };
  // Knex mixes up the values of sub-queries in a union of its own.
  const union = counts.map((_, index) => `SELECT * FROM ? AS part_${index}`).join(' UNION ALL ');
  const found: Count[] = await knex
    .from(knex.raw(`(${union}) AS counts`, counts))
    .select('name', 'products', 'described');
  const byName = new Map(found.map(({ name, ...count }) => [name, count]));
  const rarity = (name: string) => Number(byName.get(name)?.products ?? 0);
  // With too many words only the first ones were read.
  const isDescribed = (name: string) =>
    Number(byName.get(name)?.described ?? 0) > 0 || (name === startName && rarity(name) > mostSorted);
  let best: { source: Source; products: number } | undefined;
  for (const [name, source] of sources) {
    const products = rarity(name);
    if (products === 0) return { source: 'nothing', conditions: [] };
    const most = source === 'price' ? countedPrices(mostSorted) : mostSorted;
    if (products <= most && products < (best?.products ?? Number.POSITIVE_INFINITY)) best = { source, products };
  }
  const conditions = [
    ...terms.toSorted((one, other) => rarity(one) - rarity(other)),
    ...(start === undefined ? [] : [startName]),
  ]
    .filter((name) => sources.get(name) !== best?.source)
    .map((name) => ({
      text: name === startName ? ` ${start}` : ` ${name} `,
      isDescribed: isDescribed(name),
    }));
  return { source: best?.source ?? 'too many', conditions };
}

function summed(
  knex: Knex,
  name: string,
  rows: Knex.QueryBuilder,
  products: string,
  described: string,
): Knex.QueryBuilder {
  return knex
    .from(rows)
    .select(knex.raw(`CAST(? AS text) AS name, ${products} AS products, ${described} AS described`, [name]));
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
    .select('term', 'products', 'described');
  return knex
    .from(words.as('words'))
    .where('term', '<=', `${start}${lastCharacter}`)
    .select('products', 'described')
    .as('counted');
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
