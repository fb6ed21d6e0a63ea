import type { Migration } from '../migrate.ts';

/** Coupons of sellers, and the orders that use them now. */
export const coupons: Migration = {
  name: '0061-coupons',
  async up(trx) {
    await trx.schema.createTable('coupons', (table) => {
      table.increments('id');
      // Null: those of the operator's own products.
      table.integer('seller_id').references('users.id');
      table.integer('is_live').notNullable();
      table.string('code').notNullable();
      // JSON.
      table.text('terms').notNullable();
      table.bigInteger('starts_at');
      table.bigInteger('ends_at');
      table.integer('most_uses');
      table.integer('uses').notNullable().defaultTo(0);
      table.bigInteger('created_at').notNullable();
      table.bigInteger('ended_at');
      table.index(['is_live', 'seller_id', 'id']);
    });
    await trx.raw(
      'CREATE UNIQUE INDEX coupons_code_unique ON coupons (code, is_live, COALESCE(seller_id, 0)) WHERE ended_at IS NULL',
    );
    await trx.schema.createTable('coupon_uses', (table) => {
      table.integer('order_id').primary().references('orders.id');
      table.integer('coupon_id').notNullable().references('coupons.id');
      // Of the buyer, without its plus part.
      table.string('address').notNullable();
      table.index(['coupon_id', 'address']);
      table.index(['coupon_id', 'order_id']);
    });
  },
};
