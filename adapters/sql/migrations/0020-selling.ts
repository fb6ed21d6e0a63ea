import type { Migration } from '../migrate.ts';

/** The terms of a product's licenses, and facts of its publication. Booleans are 0 or 1. */
export const selling: Migration = {
  name: '0020-selling',
  async up(trx) {
    await trx.schema.alterTable('products', (table) => {
      table.text('seller_name');
      table.text('rejection_reason');
      table.bigInteger('archived_at');
      table.integer('max_domains').notNullable().defaultTo(1);
      table.integer('duration_days');
      table.string('duration_from').notNullable().defaultTo('issue');
      table.integer('local_hosts_are_free').notNullable().defaultTo(0);
      table.text('preview_hosts').notNullable().defaultTo('[]');
      table.integer('www_is_apex').notNullable().defaultTo(0);
      table.integer('moves_per_month').notNullable().defaultTo(3);
    });
  },
};
