import type { Migration } from '../migrate.ts';

/**
 * The requests with an idempotency key that have changed something, in a table of their own: so a transaction whose outcome
 * is unknown keeps nobody from storing an answer. An import has its request, and how far it is.
 */
export const importRequests: Migration = {
  name: '0035-import-requests',
  async up(trx) {
    await trx.schema.createTable('idempotency_changes', (table) => {
      table.string('owner').primary();
      table.bigInteger('at').notNullable().index();
    });
    await trx.schema.alterTable('license_imports', (table) => {
      table.text('request_key');
      table.string('request_owner');
      table.integer('staged').notNullable().defaultTo(0);
      table.integer('added').notNullable().defaultTo(0);
      table.integer('left_out').notNullable().defaultTo(0);
    });
  },
};
