import type { Knex } from 'knex';
import { toProductId, toUserId } from '../../../core/id.ts';
import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';
import { insertProductTexts } from '../product-texts.ts';

const productsAtOnce = 1_000;

/**
 * The versions of products, the texts by which sellers find their products, and whether an administrator has approved
 * what a product contains. `products.zip` stays the zip of the newest version. A product that an older process adds has
 * no texts until its first change.
 */
export const productVersions: Migration = {
  name: '0023-product-versions',
  async up(trx) {
    await trx.schema.createTable('product_versions', (table) => {
      table.integer('product_id').notNullable().references('products.id');
      table.integer('ordinal').notNullable();
      table.string('number').notNullable();
      table.text('notes').notNullable();
      table.string('zip').notNullable().index();
      table.bigInteger('size');
      table.bigInteger('created_at').notNullable();
      table.primary(['product_id', 'ordinal']);
      table.unique(['product_id', 'number']);
    });
    await trx.raw(`INSERT INTO product_versions (product_id, ordinal, number, notes, zip, size, created_at)
      SELECT id, 1, '1', '', zip, (SELECT size FROM kept_files WHERE key = products.zip), created_at
      FROM products WHERE zip IS NOT NULL`);
    await trx.raw(`CREATE TABLE product_texts (
      product_id integer NOT NULL REFERENCES products (id),
      text text ${isPostgres(trx) ? 'COLLATE "C"' : ''} NOT NULL,
      owner_id integer,
      is_live smallint NOT NULL,
      PRIMARY KEY (product_id, text)
    ) ${isPostgres(trx) ? '' : 'WITHOUT ROWID'}`);
    await fillTexts(trx);
    for (const index of [
      'product_texts_by_text ON product_texts (is_live, text, product_id)',
      'product_texts_of_owner ON product_texts (owner_id, is_live, text, product_id)',
      'products_of_mode ON products (is_live, id)',
      'products_of_owner_by_status ON products (owner_id, is_live, status, id)',
    ]) {
      await trx.raw(`CREATE INDEX ${index}`);
    }
    // Last, because nobody can read the table until the end of the transaction.
    await trx.schema.alterTable('products', (table) => {
      table.string('version');
      table.integer('is_approved').notNullable().defaultTo(0);
    });
    await trx('products').whereNotNull('zip').update({ version: '1' });
    await trx('products').where({ status: 'published' }).update({ is_approved: 1 });
  },
};

interface ProductRow {
  readonly id: number;
  readonly title: string;
  readonly slug: string;
  readonly owner_id: number | null;
  readonly is_live: number;
}

async function fillTexts(trx: Knex.Transaction): Promise<void> {
  for (let last = 0; ; ) {
    const rows: ProductRow[] = await trx('products').where('id', '>', last).orderBy('id').limit(productsAtOnce);
    const end = rows.at(-1);
    if (end === undefined) return;
    for (const { id, title, slug, owner_id, is_live } of rows) {
      const ownerId = owner_id === null ? null : toUserId(owner_id);
      await insertProductTexts(trx, { id: toProductId(id), title, slug, ownerId, isLive: is_live === 1 });
    }
    last = end.id;
  }
}
