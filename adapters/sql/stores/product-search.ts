import type { Knex } from 'knex';
import { toProductId, type UserId } from '../../../core/id.ts';
import { productStatuses } from '../../../core/marketplace/product.ts';
import type { ProductPage, ProductPlace, ProductSearch, ProductState } from '../../../core/ports/product-store.ts';
import { searchedText } from '../../../core/search-texts.ts';
import { builtOnce } from '../built-once.ts';
import { comparableId } from '../database.ts';
import { lastCharacter } from '../last-character.ts';
import { type ProductRow, toProduct } from '../product-rows.ts';

/** The number of products, or of matching texts, that one call looks at. */
const lookedAt = 2_000;

type Found = ProductRow & { readonly text: string | null };

/**
 * Reads one page of `ProductStore.search`. The candidates are one range of an index. The other conditions are checked on
 * at most `lookedAt` candidates.
 */
export async function searchProducts(knex: Knex, filter: ProductSearch): Promise<ProductPage> {
  const start = searchedText(filter.search);
  const isNewestFirst = start === '';
  if (isNewestFirst && filter.isOnlyPage && filter.ownerId !== undefined && filter.after === undefined) {
    const shape = `${filter.limit} ${filter.state ?? ''}`;
    const found = await newestOf(knex, shape, filter.ownerId, Number(filter.isLive));
    return { items: found.slice(0, filter.limit).map(toProduct), next: undefined };
  }
  const candidates = isNewestFirst ? newest(knex, Number(filter.isLive), filter) : matching(knex, filter, start);
  const rows: Found[] = await among(knex, candidates, filter)
    .modify((query) => {
      // Only under the first text that matches.
      if (!isNewestFirst) {
        query.whereRaw(
          '(SELECT NOT EXISTS (SELECT 1 FROM product_texts AS f WHERE f.product_id = c.id AND f.text >= ? AND f.text < c.text))',
          [start],
        );
      }
    })
    .orderBy(isNewestFirst ? [{ column: 'c.id', order: 'desc' }] : ['c.text', 'c.id']);
  const items = rows.slice(0, filter.limit);
  if (filter.isOnlyPage) return { items: items.map(toProduct), next: undefined };
  const last = items.at(-1);
  if (rows.length > filter.limit) return { items: items.map(toProduct), next: last && placeOf(last) };
  const end: Pick<Found, 'id' | 'text'> | undefined = await candidates.offset(lookedAt - 1).first();
  return { items: items.map(toProduct), next: end && placeOf(end) };
}

/** The products among candidates, and one more than the page has. */
function among(
  knex: Knex,
  candidates: Knex.QueryBuilder,
  { state, limit }: Pick<ProductSearch, 'state' | 'limit'>,
): Knex.QueryBuilder {
  return knex
    .from(candidates.clone().limit(lookedAt).as('c'))
    .join('products as p', 'p.id', 'c.id')
    .select('p.*', 'c.text')
    .modify((query) => inState(query, state))
    .limit(limit + 1);
}

/** The shape is the limit, with the state. */
const newestOf = builtOnce<string, Found[], [ownerId: UserId, isLive: number]>((knex, shape, ownerId, isLive) => {
  const [limit = '', wanted = ''] = shape.split(' ');
  const filter = {
    limit: Number(limit),
    state: ([...productStatuses, 'archived'] as const).find((one) => one === wanted),
  };
  return among(knex, newest(knex, isLive, { ...filter, ownerId }), filter).orderBy('c.id', 'desc');
});

/** The products of a mode and perhaps of an owner, newest first. */
function newest(
  knex: Knex,
  isLive: number,
  { ownerId, state, after }: Pick<ProductSearch, 'ownerId' | 'state' | 'after'>,
) {
  return knex('products')
    .select('id', knex.raw('NULL AS text'))
    .where({ is_live: isLive, ...(ownerId !== undefined && { owner_id: ownerId }) })
    .modify((query) => {
      if (state !== undefined && state !== 'archived') query.where({ status: state });
      if (after) query.where('id', '<', comparableId(after.id));
    })
    .orderBy('id', 'desc');
}

/** The texts that begin with `start`, in their order. */
function matching(knex: Knex, { isLive, ownerId, after }: ProductSearch, start: string) {
  return knex('product_texts')
    .select({ id: 'product_id', text: 'text' })
    .where({ is_live: Number(isLive), ...(ownerId !== undefined && { owner_id: ownerId }) })
    .whereRaw('text >= ? AND text <= ?', [start, `${start}${lastCharacter}`])
    .modify((query) => {
      if (after) query.whereRaw('(text, product_id) > (?, ?)', [after.text ?? '', comparableId(after.id)]);
    })
    .orderBy(['text', 'product_id']);
}

function inState(query: Knex.QueryBuilder, state: ProductState | undefined): void {
  if (state === 'archived') {
    query.whereNotNull('p.archived_at');
    return;
  }
  query.whereNull('p.archived_at');
  if (state !== undefined) query.where('p.status', state);
}

function placeOf({ id, text }: Pick<Found, 'id' | 'text'>): ProductPlace {
  return { id: toProductId(id), text };
}
