import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/**
 * Orders, and what they add to products and licenses. The agreed terms and the facts of the payment are JSON: they are
 * only read with their order.
 */
export const orders: Migration = {
  name: '0028-orders',
  async up(trx) {
    await trx.schema.alterTable('licenses', (table) => {
      table.string('own_standing');
    });
    await trx.schema.alterTable('products', (table) => {
      table.string('on_refund').notNullable().defaultTo('revoke');
      // Orders that were paid, or taken for free.
      table.integer('sold').notNullable().defaultTo(0);
    });
    // Knex would make the whole table anew on SQLite.
    await trx.raw('ALTER TABLE products ADD COLUMN template_id integer REFERENCES templates (id)');
    await trx.schema.createTable('orders', (table) => {
      table.increments('id');
      table.string('token').notNullable().unique();
      table.string('provider').notNullable();
      table.text('payment_id');
      table.text('intent_id');
      table.integer('is_live').notNullable();
      table.integer('product_id').notNullable().references('products.id');
      table.integer('seller_id').references('users.id');
      table.integer('buyer_id').references('users.id');
      table.text('email').notNullable();
      table.text('buyer_name');
      table.text('agreed').notNullable();
      // A copy of what is in `agreed`.
      table.integer('template_id').references('templates.id');
      table.text('payment').notNullable();
      // Copies of what is in `payment`, for sums.
      table.string('currency').notNullable();
      table.bigInteger('total').notNullable();
      table.bigInteger('refunded').notNullable();
      table.string('state').notNullable();
      table.integer('is_accepted').notNullable().defaultTo(0);
      table.string('license_key').unique();
      table.integer('number');
      table.bigInteger('created_at').notNullable();
      table.bigInteger('paid_at');
      table.bigInteger('updated_at').notNullable();
      table.integer('revision').notNullable().defaultTo(0);
      table.unique(['provider', 'payment_id']);
      table.index(['is_live', 'id']);
      table.index(['is_live', 'state', 'id']);
      table.index(['is_live', 'paid_at']);
      table.index(['seller_id', 'is_live', 'id']);
      table.index(['seller_id', 'is_live', 'state', 'id']);
      table.index(['seller_id', 'is_live', 'paid_at']);
      table.index(['buyer_id', 'id']);
      table.index(['email', 'id']);
      table.index(['product_id', 'id']);
      table.index(['product_id', 'paid_at']);
      table.index(['template_id', 'buyer_id']);
      table.index(['created_at']);
    });
    // Most orders have none, so that an index of all would look useless to SQLite.
    await trx.raw('CREATE INDEX orders_intent_index ON orders (intent_id, provider) WHERE intent_id IS NOT NULL');
    // Nobody takes a free product twice.
    for (const column of ['email', 'buyer_id']) {
      await trx.raw(
        `CREATE UNIQUE INDEX orders_free_${column}_unique ON orders (product_id, ${column}) WHERE provider = 'free' AND state <> 'cancelled'`,
      );
    }
    // The texts by which a search finds orders.
    await trx.raw(`CREATE TABLE order_texts (
      order_id integer NOT NULL REFERENCES orders (id),
      text text ${isPostgres(trx) ? 'COLLATE "C"' : ''} NOT NULL,
      seller_id integer,
      is_live smallint NOT NULL,
      PRIMARY KEY (order_id, text)
    ) ${isPostgres(trx) ? '' : 'WITHOUT ROWID'}`);
    await trx.raw('CREATE INDEX order_texts_by_text ON order_texts (is_live, text, order_id)');
    await trx.raw('CREATE INDEX order_texts_of_seller ON order_texts (seller_id, is_live, text, order_id)');
    // The last invoice number of each seller. The seller 0 is the operator.
    await trx.schema.createTable('order_numbers', (table) => {
      table.integer('seller_id').notNullable();
      table.integer('is_live').notNullable();
      table.integer('last').notNullable();
      table.primary(['seller_id', 'is_live']);
    });
  },
};
