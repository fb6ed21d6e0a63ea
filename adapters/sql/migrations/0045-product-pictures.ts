import type { Migration } from '../migrate.ts';

/** Adds the pictures of a product, as JSON. Their files are uploads. */
export const productPictures: Migration = {
  name: '0045-product-pictures',
  async up(trx) {
    await trx.schema.alterTable('products', (table) => {
      table.text('pictures');
    });
  },
};
