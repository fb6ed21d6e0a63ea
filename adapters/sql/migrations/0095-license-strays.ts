import type { Migration } from '../migrate.ts';

/** The foreign domains that ask with the keys of licenses, the refused calls of each day, and when a leak was suspected. */
export const licenseStrays: Migration = {
  name: '0095-license-strays',
  async up(trx) {
    await trx.schema.createTable('license_strays', (table) => {
      table.integer('license_id').notNullable().references('licenses.id').onDelete('CASCADE');
      table.string('domain').notNullable();
      table.string('network').notNullable();
      table.bigInteger('first_at').notNullable();
      table.bigInteger('last_at').notNullable().index();
      table.bigInteger('calls').notNullable();
      table.integer('seen').notNullable();
      table.primary(['license_id', 'domain']);
    });
    await trx.schema.createTable('license_stray_days', (table) => {
      table.integer('product_id').notNullable();
      table.bigInteger('day').notNullable().index();
      table.integer('license_id').notNullable().references('licenses.id').onDelete('CASCADE');
      table.bigInteger('calls').notNullable();
      table.primary(['license_id', 'day']);
      table.index(['product_id', 'day']);
    });
    await trx.schema.createTable('license_leaks', (table) => {
      table.integer('license_id').primary().references('licenses.id').onDelete('CASCADE');
      table.bigInteger('suspected_at');
    });
  },
};
