import type { Migration } from '../migrate.ts';

/** Adds the offers of a product, as JSON, in their order. They are read with every list of products. */
export const offers: Migration = {
  name: '0047-offers',
  async up(trx) {
    await trx.schema.alterTable('products', (table) => {
      table.text('offers');
    });
  },
};
