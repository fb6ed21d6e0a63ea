import type { Migration } from '../migrate.ts';

/** Subscriptions: each belongs to its first order, and each of its later payments is an order too. The columns are empty in all rows. */
export const subscriptions: Migration = {
  name: '0053-subscriptions',
  async up(trx) {
    await trx.schema.alterTable('orders', (table) => {
      table.text('subscription');
      table.text('subscription_id');
      table.string('subscription_status');
      table.integer('is_cancelled');
      table.bigInteger('yearly');
      table.bigInteger('subscription_ended_at');
      table.integer('cycle_of');
    });
    // Most orders have none of them, so that indexes of all would look useless to SQLite.
    await trx.raw(
      'CREATE UNIQUE INDEX orders_subscription_id_unique ON orders (subscription_id, provider) WHERE subscription_id IS NOT NULL',
    );
    await trx.raw(
      'CREATE INDEX orders_subscribed_index ON orders (seller_id, is_live, id) WHERE subscription_status IS NOT NULL',
    );
    await trx.raw(
      'CREATE INDEX orders_all_subscribed_index ON orders (is_live, id) WHERE subscription_status IS NOT NULL',
    );
    // All that the sums of a seller need, so that they read no rows of the table.
    await trx.raw(
      'CREATE INDEX orders_recurring_index ON orders (seller_id, is_live, subscription_status, subscription_ended_at, is_cancelled, currency, yearly) WHERE subscription_status IS NOT NULL',
    );
    await trx.raw('CREATE INDEX orders_cycle_of_index ON orders (cycle_of, id) WHERE cycle_of IS NOT NULL');
  },
};
