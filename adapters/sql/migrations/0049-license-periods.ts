import type { Migration } from '../migrate.ts';

/**
 * The periods of licenses that were renewed or upgraded, the license that an order renews, and the addresses that had a
 * trial. Other licenses have no rows, so nothing is written for those that exist.
 */
export const licensePeriods: Migration = {
  name: '0049-license-periods',
  async up(trx) {
    await trx.schema.createTable('license_periods', (table) => {
      table.increments('id');
      table.integer('license_id').notNullable().references('licenses.id');
      table.string('cause').notNullable().unique();
      table.bigInteger('at').notNullable();
      table.string('standing').notNullable();
      // JSON.
      table.text('gives').notNullable();
      table.bigInteger('worth').notNullable();
      // JSON. Null if it is built on nothing.
      table.text('built_on');
      table.index(['license_id', 'id']);
    });
    await trx.schema.alterTable('orders', (table) => {
      table.string('renews');
      // Only of trials: the address of the buyer without its plus part.
      table.text('trial_of');
    });
    // Nobody gets a second trial. All orders before this migration have none.
    await trx.raw(
      "CREATE UNIQUE INDEX orders_trial_of_unique ON orders (product_id, trial_of) WHERE trial_of IS NOT NULL AND state <> 'cancelled'",
    );
  },
};
