import type { Migration } from '../migrate.ts';

/** The calls of each account by day. `day` is a date in UTC, such as 2026-11-22. */
export const accountUsage: Migration = {
  name: '0017-account-usage',
  async up(trx) {
    await trx.schema.createTable('account_usage', (table) => {
      table.integer('user_id').notNullable().references('users.id');
      table.string('day', 10).notNullable().index();
      table.bigInteger('calls').notNullable();
      table.bigInteger('refused').notNullable();
      table.primary(['user_id', 'day']);
    });
  },
};
