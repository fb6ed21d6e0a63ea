import type { Migration } from '../migrate.ts';

/** The notifications of users, and the browsers that they signed in with. */
export const notifications: Migration = {
  name: '0016-notifications',
  async up(trx) {
    await trx.schema.createTable('notifications', (table) => {
      table.increments('id');
      table.integer('user_id').notNullable().references('users.id');
      table.string('kind').notNullable();
      table.text('data').notNullable();
      table.bigInteger('created_at').notNullable().index();
      table.bigInteger('read_at');
      table.index(['user_id', 'id']);
      // Every page counts the unread ones.
      table.index(['user_id'], 'notifications_unread', { predicate: trx.whereNull('read_at') });
    });
    await trx.schema.createTable('known_browsers', (table) => {
      table.integer('user_id').notNullable().references('users.id');
      table.string('digest').notNullable();
      table.bigInteger('last_seen_at').notNullable().index();
      table.primary(['user_id', 'digest']);
    });
  },
};
