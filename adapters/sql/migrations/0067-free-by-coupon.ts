import type { Migration } from '../migrate.ts';

/** Orders that a coupon made free. They are counted apart from what is free for everybody: a trial does not keep its buyer from them. */
export const freeByCoupon: Migration = {
  name: '0067-free-by-coupon',
  async up(trx) {
    await trx.schema.alterTable('orders', (table) => {
      table.integer('by_coupon').notNullable().defaultTo(0);
    });
    await trx('orders').where({ provider: 'free' }).whereLike('agreed', '%"discount":{%').update({ by_coupon: 1 });
    for (const column of ['email', 'buyer_id']) {
      await trx.raw(`DROP INDEX orders_free_${column}_unique`);
      await trx.raw(
        `CREATE UNIQUE INDEX orders_free_${column}_unique ON orders (product_id, ${column}, by_coupon) WHERE provider = 'free' AND state <> 'cancelled' AND part_of IS NULL`,
      );
    }
  },
};
