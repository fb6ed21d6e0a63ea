import { toProductId, toUserId } from '../../../core/id.ts';
import { freeSlug, type Product, type ProductStatus, type ProductSummary } from '../../../core/marketplace/product.ts';
import type { ProductFilter, ProductStore } from '../../../core/ports/product-store.ts';
import { type Database, largestId, returned } from '../database.ts';
import { record } from './audit-log.ts';
import { changeRow } from './change-row.ts';
import { noteUnreferenced } from './file-references.ts';
import { findRow } from './find-row.ts';

interface ProductRow {
  readonly id: number;
  readonly slug: string;
  readonly title: string;
  readonly owner_id: number | null;
  readonly status: string;
  readonly is_live: number;
  readonly tagline: string;
  readonly description: string;
  readonly price: number;
  readonly module: string;
  readonly variant: string | null;
  readonly category: string | null;
  readonly subcategory: string | null;
  readonly tags: string;
  readonly blockchains: string;
  readonly is_supported: number;
  readonly zip: string | null;
  readonly thumbnail: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

const summaryColumns = [
  'id',
  'slug',
  'title',
  'tagline',
  'price',
  'module',
  'variant',
  'category',
  'thumbnail',
] as const satisfies readonly (keyof ProductRow & keyof ProductSummary)[];

export function createSqlProductStore({ read, readStale = read, write }: Database): ProductStore {
  const { findWhere, findById } = findRow(read, 'products', toProduct);
  return {
    add: (product, eventOf) =>
      write(async (trx) => {
        const { slug } = product;
        const taken = new Set<string>(
          await trx<ProductRow>('products').where({ slug }).orWhereLike('slug', `${slug}-%`).pluck('slug'),
        );
        const row = returned(
          await trx<ProductRow>('products')
            .insert(toRow({ ...product, slug: freeSlug(slug, taken) }))
            .returning('*'),
        );
        await record(trx, [eventOf(row.slug)]);
        return toProduct(row);
      }),
    findById,
    findBySlug: (slug) => findWhere({ slug }),
    async list(filter, offset, limit) {
      const where = toWhere(filter);
      const rows = await readStale((knex) =>
        knex<ProductRow>('products').where(where).orderBy('id', 'desc').offset(offset).limit(limit),
      );
      const counted = await readStale((knex) => knex('products').where(where).count({ total: '*' }).first());
      return { items: rows.map(toProduct), total: Number(counted?.total) };
    },
    async listPublic(place, limit) {
      const isNewer = place !== undefined && 'newerThan' in place;
      const rows = await readStale((knex) =>
        knex('products')
          .where(toWhere({ status: 'published', isLive: true }))
          .modify((query) => {
            if (place === undefined) return;
            if ('newerThan' in place) query.where('id', '>', Math.min(place.newerThan, largestId));
            else query.where('id', '<', Math.min(place.olderThan, largestId));
          })
          .orderBy('id', isNewer ? 'asc' : 'desc')
          .limit(limit)
          .select<Pick<ProductRow, (typeof summaryColumns)[number]>[]>(...summaryColumns),
      );
      const found = rows.map((row) => ({ ...row, id: toProductId(row.id) }));
      return isNewer ? found.toReversed() : found;
    },
    change: changeRow(write, 'products', toProduct, toRow, async (trx, before, after, at) => {
      for (const file of ['zip', 'thumbnail'] as const) {
        const key = before[file];
        if (key !== null && key !== after[file]) await noteUnreferenced(trx, key, at);
      }
    }),
  };
}

function toWhere({ ownerId, isLive, status }: ProductFilter): Partial<ProductRow> {
  return {
    ...(ownerId !== undefined && { owner_id: ownerId }),
    ...(isLive !== undefined && { is_live: Number(isLive) }),
    ...(status !== undefined && { status }),
  };
}

function toRow(product: Omit<Product, 'id'>): Omit<ProductRow, 'id'> {
  const { ownerId, isLive, isSupported, createdAt, updatedAt, tags, blockchains, ...same } = product;
  return {
    ...same,
    owner_id: ownerId,
    is_live: Number(isLive),
    is_supported: Number(isSupported),
    tags: JSON.stringify(tags),
    blockchains: JSON.stringify(blockchains),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

function toProduct(row: ProductRow): Product {
  const { id, owner_id, is_live, is_supported, created_at, updated_at, tags, blockchains, status, ...same } = row;
  return {
    ...same,
    id: toProductId(id),
    status: status as ProductStatus,
    ownerId: owner_id === null ? null : toUserId(owner_id),
    isLive: is_live === 1,
    isSupported: is_supported === 1,
    tags: JSON.parse(tags),
    blockchains: JSON.parse(blockchains),
    createdAt: created_at,
    updatedAt: updated_at,
  };
}
