import type { Knex } from 'knex';
import { sought } from '../../../core/marketplace/catalogue-terms.ts';
import type { Catalogue, CatalogueItem, CataloguePart, CatalogueQuery } from '../../../core/ports/catalogue.ts';
import type { Database } from '../database.ts';
import { comparableId, isPostgres } from '../database.ts';
import { joinOne } from '../index-range.ts';
import { type ProductRow, toProduct } from '../product-rows.ts';
import { termColumns } from '../product-terms.ts';
import { corrected } from './corrected.ts';
import { endOfWalk, type Found, isBefore, placeOf, readAll, walk, withIndex } from './ranges.ts';
import { type Bounds, rarest } from './rarest.ts';

/**
 * Made for 100,000 products. A word that is too frequent to sort is then in more than 1 of 100 products. So 2,000 products
 * have at least about 20 with it, which nearly fills a page of 24.
 */
const usual: Bounds = { sorted: 1_000, walked: 2_000 };

export function createSqlCatalogue(
  { read, readStale = read }: Pick<Database, 'read' | 'readStale'>,
  bounds: Bounds = usual,
): Catalogue {
  return {
    search: (query) => readStale((knex) => search(knex, query, bounds)),

    corrected: (search) => readStale((knex) => corrected(knex, search)),

    listedIn: ({ from, before }) =>
      readStale(async (knex) => {
        const rows: Pick<ProductRow, 'slug' | 'updated_at'>[] = await knex('products')
          .where('id', '>=', comparableId(from))
          .where('id', '<', comparableId(before))
          .where({ status: 'published', is_live: 1 })
          .whereNull('archived_at')
          .orderBy('id')
          .select('slug', 'updated_at');
        return rows.map(({ slug, updated_at }) => ({ slug, updatedAt: updated_at }));
      }),

    newestId: () =>
      readStale(async (knex) => {
        const newest: Pick<ProductRow, 'id'> | undefined = await knex('catalogue').orderBy('id', 'desc').first('id');
        return newest?.id ?? 0;
      }),

    values: (facet, limit) =>
      readStale(async (knex) => {
        const rows: { label: string; products: number }[] = await knex('catalogue_terms')
          .where({ kind: facet })
          .orderBy([{ column: 'products', order: 'desc' }, 'term'])
          .limit(limit)
          .select('label', 'products');
        return rows;
      }),
  };
}

/**
 * If few products have one of the terms, or a price in the range, reads all of them and sorts them. Otherwise reads the
 * next products in the order of the list, and leaves out those that do not match. Both ways read a bounded number of rows.
 */
async function search(knex: Knex, asked: CatalogueQuery, { sorted, walked }: Bounds): Promise<CataloguePart> {
  const wanted = sought(asked);
  const { source, conditions } = await rarest(knex, wanted, asked, sorted);
  if (source === 'nothing') return { items: [], further: undefined };
  const query = source === 'too many' ? withIndex(asked) : asked;
  const found = await (source === 'too many'
    ? walk(knex, query, conditions, walked)
    : readAll(knex, query, conditions, source));
  const page = found.slice(0, query.limit);
  const last = page.at(-1);
  let further = found.length > query.limit && last ? placeOf(last, query.order) : undefined;
  if (further === undefined && source === 'too many') further = await endOfWalk(knex, query, walked);
  if (isBefore(query)) page.reverse();
  const items = await load(knex, page, wanted.start !== undefined);
  if (asked.order !== 'relevance') return { items, further };
  const byId = new Map(page.map((one) => [one.id, Number(one.relevance ?? one.sold)]));
  return { items: items.map((item) => ({ ...item, relevance: byId.get(item.id) ?? 0 })), further };
}

/** Only columns of lists: descriptions are long. */
const columns = [
  'id',
  'slug',
  'title',
  'tagline',
  'price',
  'module',
  'variant',
  'category',
  'subcategory',
  'tags',
  'blockchains',
  'is_supported',
  'thumbnail',
  'version',
  'seller_name',
  'offers',
  'bundle',
  'prices',
  'least_prices',
  'sold',
  ...termColumns,
  'created_at',
  'updated_at',
];

type ItemRow = ProductRow & { readonly sold: number };

/** Leaves out products that were taken down by hand. */
async function load(knex: Knex, found: readonly Found[], isForWords: boolean): Promise<CatalogueItem[]> {
  if (found.length === 0) return [];
  const given = isPostgres(knex) ? 'jsonb_array_elements(?::jsonb) AS g (value)' : 'json_each(?) AS g';
  const ids = JSON.stringify(found.map(({ id }) => id));
  const rows: ItemRow[] = await knex
    .from(knex.raw(`${given} ${joinOne(knex, 'products', 'p', 'CAST(g.value AS integer)')}`, [ids]))
    .where({ 'p.status': 'published', 'p.is_live': 1 })
    .whereNull('p.archived_at')
    .select([...columns, ...(isForWords ? ['description'] : [])].map((column) => `p.${column}`));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return found.flatMap(({ id }) => {
    const row = byId.get(id);
    return row === undefined ? [] : [{ ...toProduct(row), sold: row.sold }];
  });
}
