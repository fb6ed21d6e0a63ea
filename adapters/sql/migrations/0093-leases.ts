import type { Migration } from '../migrate.ts';

/**
 * The keys that sign leases, and for how many hours a lease is valid. Of several processes that start at once, one adds the
 * first key: its number is always 1.
 */
export const leases: Migration = {
  name: '0093-leases',
  async up(trx) {
    await trx.schema.createTable('lease_keys', (table) => {
      table.integer('ordinal').notNullable().primary();
      table.string('kid').notNullable().unique();
      table.string('public_key').notNullable();
      // Only of the key that signs.
      table.text('private_key');
      table.bigInteger('created_at').notNullable();
      table.bigInteger('retired_at');
      table.integer('longest_hours').notNullable();
    });
    await trx.schema.alterTable('products', (table) => {
      table.integer('lease_hours').notNullable().defaultTo(168);
    });
  },
};
