import type { Migration } from '../migrate.ts';

/** Programs that wait for an API key, with the answer of the person. A row lives for ten minutes. */
export const deviceLogins: Migration = {
  name: '0030-device-logins',
  async up(trx) {
    await trx.schema.createTable('device_logins', (table) => {
      table.string('digest').primary();
      table.string('user_digest').notNullable().unique();
      table.text('client_name').notNullable();
      table.string('address').notNullable();
      table.string('mode').notNullable();
      // A JSON array. Null for all scopes.
      table.text('scopes');
      table.bigInteger('created_at').notNullable();
      table.bigInteger('expires_at').notNullable().index();
      table.integer('interval').notNullable();
      table.bigInteger('polled_at');
      table.string('answer').notNullable();
      table.integer('user_id').references('users.id').index();
      table.integer('generation');
      table.text('key_name');
    });
  },
};
