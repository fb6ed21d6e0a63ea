import type { Migration } from '../migrate.ts';

/** The first page of the site lists the public products, newest first. */
export const publicProducts: Migration = {
  name: '0015-public-products',
  async up(trx) {
    await trx.schema.alterTable('products', (table) => {
      table.index(['status', 'is_live', 'id']);
    });
  },
};
