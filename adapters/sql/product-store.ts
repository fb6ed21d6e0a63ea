import { freeSlug, type Product } from '../../core/marketplace/product.ts';
import type { ProductStore } from '../../core/ports/product-store.ts';
import { record } from './audit-log.ts';
import type { Database } from './database.ts';

interface ProductRow {
  readonly id: number;
  readonly slug: string;
  readonly title: string;
  readonly owner_id: number | null;
  readonly created_at: number;
}

export function createSqlProductStore({ read, write }: Database): ProductStore {
  const findWhere = async (where: Partial<ProductRow>) => {
    const row = await read((knex) => knex<ProductRow>('products').where(where).first());
    return row && toProduct(row);
  };
  return {
    add: ({ slug, title, ownerId, createdAt }, eventOf) =>
      write(async (trx) => {
        const taken = new Set<string>(
          await trx<ProductRow>('products').where({ slug }).orWhereLike('slug', `${slug}-%`).pluck('slug'),
        );
        const [row] = await trx<ProductRow>('products')
          .insert({ slug: freeSlug(slug, taken), title, owner_id: ownerId, created_at: createdAt })
          .returning('*');
        if (row === undefined) throw new Error('The database did not return the product that it added.');
        await record(trx, [eventOf(row.slug)]);
        return toProduct(row);
      }),
    findById: (id) => findWhere({ id }),
    findBySlug: (slug) => findWhere({ slug }),
  };
}

function toProduct({ id, slug, title, owner_id, created_at }: ProductRow): Product {
  return { id, slug, title, ownerId: owner_id, createdAt: created_at };
}
