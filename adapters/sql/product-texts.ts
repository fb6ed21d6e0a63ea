import type { Knex } from 'knex';
import type { Product } from '../../core/marketplace/product.ts';
import { productTexts } from '../../core/marketplace/product-search.ts';

const table = 'product_texts';

type Searched = Pick<Product, 'id' | 'title' | 'slug' | 'ownerId' | 'isLive'>;

/** Stores the texts by which a search finds a product. */
export async function replaceProductTexts(trx: Knex.Transaction, product: Searched): Promise<void> {
  await trx(table).where({ product_id: product.id }).delete();
  await insertProductTexts(trx, product);
}

/** Stores the texts of a product that has none yet. */
export async function insertProductTexts(trx: Knex.Transaction, product: Searched): Promise<void> {
  const { id, ownerId, isLive } = product;
  const rows = productTexts(product).map((text) => ({
    product_id: id,
    text,
    owner_id: ownerId,
    is_live: Number(isLive),
  }));
  if (rows.length > 0) await trx(table).insert(rows);
}
