import type { Knex } from 'knex';
import { toProductId } from '../../../core/id.ts';
import { searchedWords } from '../../../core/marketplace/catalogue-terms.ts';
import type { CatalogueOrder, CataloguePlace, CatalogueQuery } from '../../../core/ports/catalogue.ts';
import { comparableId, isPostgres, largestId } from '../database.ts';
import { inRange } from '../index-range.ts';
import { type Condition, inPriceOrder, type Source } from './rarest.ts';

/** An entry of the catalogue that matches. */
export interface Found {
  readonly id: number;
  readonly price: number;
  readonly sold: number;
  /** Only in the order of relevance. Postgres returns it as a text. */
  readonly relevance?: number | string;
}

/** The columns of the index of each order, and its direction. Relevance has no index: what was found is sorted. */
const orders = {
  relevance: { by: 'relevance', direction: 'desc' },
  newest: { by: undefined, direction: 'desc' },
  price_low: { by: 'price', direction: 'asc' },
  price_high: { by: 'price', direction: 'desc' },
  most_sold: { by: 'sold', direction: 'desc' },
} as const satisfies Record<
  CatalogueOrder,
  { readonly by: keyof Found | undefined; readonly direction: 'asc' | 'desc' }
>;

export function placeOf(found: Found, order: CatalogueOrder): CataloguePlace {
  const { by } = orders[order];
  return { id: toProductId(found.id), by: by === undefined ? null : Number(found[by]) };
}

/** What counts for an order by relevance is the place of the words first, and the sales after it. */
const placeWeight = 1_000_000_000;

/** The query in an order that has an index. Relevance without the place of words is the number of sales. */
export function withIndex(query: CatalogueQuery): CatalogueQuery {
  if (query.order !== 'relevance') return query;
  const { from } = query;
  const by = (from?.place.by ?? 0) % placeWeight;
  return { ...query, order: 'most_sold', ...(from && { from: { ...from, place: { ...from.place, by } } }) };
}

/** The farther a word is from the start of the terms, which begin with the title, the less it counts. */
const counted = 256;

/**
 * The relevance of an entry. Each word counts by its place among the terms, and not at all if only the description has it.
 * The last word of the search counts more if the entry has it whole.
 */
function relevance(knex: Knex, { search = '' }: CatalogueQuery): Knex.Raw {
  const words = searchedWords(search);
  const position = isPostgres(knex) ? 'strpos' : 'instr';
  const values: string[] = [];
  const placeOfText = (text: string) => {
    values.push(text);
    return `${position}(terms, ?)`;
  };
  const parts = words.map((word, at) => {
    const isLast = at === words.length - 1;
    const text = isLast ? ` ${word}` : ` ${word} `;
    const place = `CASE WHEN ${placeOfText(text)} = 0 THEN 0
      WHEN ${placeOfText(text)} < ${counted} THEN ${counted} - ${placeOfText(text)} ELSE 1 END`;
    return isLast ? `${place} + CASE WHEN ${placeOfText(` ${word} `)} > 0 THEN ${counted} ELSE 0 END` : place;
  });
  const sum = parts.length === 0 ? '0' : parts.map((part) => `(${part})`).join(' + ');
  return knex.raw(`CAST(${sum} AS bigint) * ${placeWeight} + sold AS relevance`, values);
}

/** Whether the page ends at a place. Then it is read backwards. */
export function isBefore({ from }: CatalogueQuery): boolean {
  return from?.side === 'before';
}

function directionOf(query: CatalogueQuery): 'asc' | 'desc' {
  const { direction } = orders[query.order];
  return isBefore(query) === (direction === 'asc') ? 'desc' : 'asc';
}

/** Where reading begins: the values of the columns of the index. */
function startOf({ order, from, priceFrom = 0, priceTo = largestId }: CatalogueQuery, isUp: boolean) {
  const { by } = orders[order];
  const id = from ? comparableId(from.place.id) : isUp ? 0 : largestId;
  if (by === undefined) return { id };
  if (by === 'relevance') return { [by]: from?.place.by ?? (isUp ? 0 : Number.MAX_SAFE_INTEGER), id };
  const extreme = by === 'price' ? (isUp ? priceFrom : priceTo) : isUp ? 0 : largestId;
  return { [by]: comparableId(from?.place.by ?? extreme), id };
}

/** The next products in the order of the list, whether they match or not. */
function next(knex: Knex, query: CatalogueQuery, mostWalked: number): Knex.QueryBuilder {
  const direction = directionOf(query);
  const start = startOf(query, direction === 'asc');
  const range = { table: 'c', within: {}, from: start, isAfter: query.from !== undefined, direction };
  const entries = knex('catalogue as c').select('c.id', 'c.price', 'c.sold', termsColumn(knex, query));
  return inRange(knex, entries, range, mostWalked);
}

/** The terms of an entry. On Postgres the indexes of price and sales contain only short ones; others are in the table. */
function termsColumn(knex: Knex, { order }: CatalogueQuery): Knex.Raw | string {
  if (!isPostgres(knex) || orders[order].by === undefined) return 'c.terms';
  return knex.raw('coalesce(c.short_terms, (SELECT terms FROM catalogue WHERE id = c.id)) AS terms');
}

/**
 * Returns the next products that match, and one more than the page shows. The query has no order of its own: it keeps that
 * of the index, and ends with the last row that it needs.
 */
export async function walk(
  knex: Knex,
  query: CatalogueQuery,
  conditions: readonly Condition[],
  mostWalked: number,
): Promise<Found[]> {
  const looked = next(knex, query, mostWalked).as('looked');
  return await knex
    .from(looked)
    .modify((rows) => matching(knex, rows, query, conditions, describedOf('looked')))
    .select('id', 'price', 'sold')
    .limit(query.limit + 1);
}

/** Returns the last product that a walk looks at, if there may be others behind it. */
export async function endOfWalk(
  knex: Knex,
  query: CatalogueQuery,
  mostWalked: number,
): Promise<CataloguePlace | undefined> {
  const { by } = orders[query.order];
  const back = directionOf(query) === 'asc' ? 'desc' : 'asc';
  const end: (Found & { readonly looked: number | string }) | undefined = await knex
    .from(next(knex, query, mostWalked).as('looked'))
    .select('id', 'price', 'sold', knex.raw('count(*) OVER () AS looked'))
    .orderBy([...(by === undefined ? [] : [{ column: by, order: back }]), { column: 'id', order: back }] as const)
    .first();
  if (end === undefined || Number(end.looked) < mostWalked) return undefined;
  const { priceFrom = 0, priceTo = largestId } = query;
  const isBehind = back === 'desc' ? end.price > priceTo : end.price < priceFrom;
  return by === 'price' && isBehind ? undefined : placeOf(end, query.order);
}

/** Reads all products that the source finds, and returns those of the page, and one more, in the order of the list. */
export async function readAll(
  knex: Knex,
  query: CatalogueQuery,
  conditions: readonly Condition[],
  source: Source,
): Promise<Found[]> {
  const { by } = orders[query.order];
  const direction = directionOf(query);
  const start = Object.entries(startOf(query, direction === 'asc'));
  const columns = start.map(([column]) => column);
  const matches = knex('found')
    .modify((rows) => matching(knex, rows, query, conditions, describedOf('found')))
    .select('id', 'price', 'sold', ...(by === 'relevance' ? [relevance(knex, query)] : []));
  return await knex
    .withMaterialized('found', entriesOf(knex, source, query))
    .from(matches.as('matches'))
    .modify((rows) => {
      if (query.from === undefined) return;
      const values = start.map(([, value]) => value);
      rows.whereRaw(`(${columns}) ${direction === 'asc' ? '>' : '<'} (${columns.map(() => '?')})`, values);
    })
    .select('*')
    .orderBy([...(by === undefined ? [] : [by]), 'id'].map((column) => ({ column, order: direction })))
    .limit(query.limit + 1);
}

/** The words of the description of an entry. */
const describedOf = (alias: string) => `(SELECT described FROM catalogue WHERE id = ${alias}.id)`;

/** All entries that the source finds. On Postgres with a query that is not known when it plans, so that it uses the index. */
function entriesOf(knex: Knex, source: Source, { priceFrom = 0, priceTo }: CatalogueQuery): Knex.QueryBuilder {
  if (source === 'price') {
    return inPriceOrder(knex, priceFrom)
      .modify((rows) => {
        if (priceTo !== undefined) rows.where('price', '<=', comparableId(priceTo));
      })
      .select('id', 'price', 'sold', 'terms');
  }
  const [text, isStart] = 'term' in source ? [source.term, false] : [source.start, true];
  if (isPostgres(knex)) {
    return knex('catalogue')
      .whereRaw('found_by @@ (SELECT CAST(? AS tsquery))', [`'${text}'${isStart ? ':*' : ''}`])
      .select('id', 'price', 'sold', 'terms');
  }
  return knex
    .from(knex.raw('catalogue_search AS s CROSS JOIN catalogue AS c ON c.id = s.rowid'))
    .whereRaw('catalogue_search MATCH ?', [`"${text}"${isStart ? '*' : ''}`])
    .select('c.id', 'c.price', 'c.sold', 'c.terms');
}

/**
 * Leaves out entries that do not meet a condition, or with a price outside of the range. `described` returns the words of
 * the description. They are read only if the other terms do not have the text.
 */
function matching(
  knex: Knex,
  rows: Knex.QueryBuilder,
  { priceFrom, priceTo }: CatalogueQuery,
  conditions: readonly Condition[],
  described: string,
): void {
  if (priceFrom !== undefined) rows.where('price', '>=', comparableId(priceFrom));
  if (priceTo !== undefined) rows.where('price', '<=', comparableId(priceTo));
  const position = isPostgres(knex) ? 'strpos' : 'instr';
  for (const { text, isDescribed } of conditions) {
    const places = ['terms', ...(isDescribed ? [described] : [])];
    rows.whereRaw(
      `(${places.map((place) => `${position}(${place}, ?) > 0`).join(' OR ')})`,
      places.map(() => text),
    );
  }
}
