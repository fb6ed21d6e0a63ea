import type { Migration } from '../migrate.ts';

/** Adds the addresses of other sites on the page of a product, as JSON. */
export const productLinks: Migration = {
  name: '0043-product-links',
  async up(trx) {
    await trx.schema.alterTable('products', (table) => {
      table.text('links');
    });
  },
};
