import type { Migration } from '../migrate.ts';

/**
 * Bundles: products that contain others, and orders with a part for each of these. No row is a bundle or a part yet. A free
 * bundle may contain what its buyer took for free before.
 */
export const bundles: Migration = {
  name: '0065-bundles',
  async up(trx) {
    await trx.schema.alterTable('products', (table) => {
      table.text('bundle');
    });
    await trx.schema.alterTable('orders', (table) => {
      table.integer('part_of');
    });
    // Most orders have none, so that an index of all would look useless to SQLite.
    await trx.raw('CREATE INDEX orders_part_of_index ON orders (part_of, id) WHERE part_of IS NOT NULL');
    for (const column of ['email', 'buyer_id']) {
      await trx.raw(`DROP INDEX orders_free_${column}_unique`);
      await trx.raw(
        `CREATE UNIQUE INDEX orders_free_${column}_unique ON orders (product_id, ${column}) WHERE provider = 'free' AND state <> 'cancelled' AND part_of IS NULL`,
      );
    }
  },
};
