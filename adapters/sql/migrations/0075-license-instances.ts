import type { Migration } from '../migrate.ts';

/**
 * The instances of clients of other systems: each is the id and the name of an activation. And the settings of products that let
 * these clients in.
 */
export const licenseInstances: Migration = {
  name: '0075-license-instances',
  async up(trx) {
    await trx.schema.createTable('license_instances', (table) => {
      table.integer('license_id').notNullable().references('licenses.id');
      table.text('id').notNullable();
      table.text('domain').notNullable();
      table.text('name').notNullable();
      table.primary(['license_id', 'id']);
      table.unique(['license_id', 'domain']);
    });
    await trx.schema.alterTable('products', (table) => {
      table.text('adapters');
    });
  },
};
