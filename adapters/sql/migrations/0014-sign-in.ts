import type { Migration } from '../migrate.ts';

/** The credentials of users, their sessions, and one-time links. A user without credentials has no row. */
export const signIn: Migration = {
  name: '0014-sign-in',
  async up(trx) {
    await trx.schema.createTable('credentials', (table) => {
      table.integer('user_id').primary().references('users.id');
      table.text('password_hash');
      table.bigInteger('email_verified_at');
      table.string('totp_secret');
      table.bigInteger('totp_last_step');
      table.text('recovery_digests');
      table.integer('generation').notNullable();
    });
    await trx.schema.createTable('sessions', (table) => {
      table.increments('id');
      table.integer('user_id').notNullable().references('users.id').index();
      table.string('digest').notNullable().unique();
      table.integer('generation').notNullable();
      table.string('role');
      table.bigInteger('started_at').notNullable().index();
      table.bigInteger('last_seen_at').notNullable().index();
      table.bigInteger('confirmed_at').notNullable();
      table.string('browser').notNullable();
      table.string('address').notNullable();
    });
    await trx.schema.createTable('one_time_links', (table) => {
      table.string('digest').primary();
      table.string('kind').notNullable().index();
      table.text('purpose').notNullable();
      table.integer('user_id').references('users.id').index();
      table.integer('generation');
      table.bigInteger('expires_at').notNullable().index();
    });
  },
};
