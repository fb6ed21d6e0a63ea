import type { Migration } from '../migrate.ts';

/** What buyers say of products, and how many stars each product got. */
export const ratings: Migration = {
  name: '0042-ratings',
  async up(trx) {
    await trx.schema.createTable('ratings', (table) => {
      table.increments('id');
      table.integer('product_id').notNullable().references('products.id');
      table.integer('order_id').notNullable().references('orders.id');
      table.string('buyer_email').notNullable();
      table.integer('stars').notNullable();
      table.string('name');
      table.text('text').notNullable();
      table.string('state').notNullable();
      table.text('reply');
      table.bigInteger('replied_at');
      table.text('report');
      table.bigInteger('created_at').notNullable();
      table.bigInteger('changed_at').notNullable();
      table.unique(['product_id', 'buyer_email']);
      table.index(['product_id', 'state', 'id']);
      table.index(['state', 'id']);
      table.index(['order_id']);
    });
    await trx.schema.createTable('product_stars', (table) => {
      table.integer('product_id').primary().references('products.id');
      for (const stars of [1, 2, 3, 4, 5]) table.integer(`of_${stars}`).notNullable().defaultTo(0);
    });
  },
};
