import type { Migration } from '../migrate.ts';

/**
 * Which files each user keeps, with their bytes, and the sum beside the user: adding a file checks and raises it in one statement.
 */
export const keptFiles: Migration = {
  name: '0005-kept-files',
  async up(trx) {
    await trx.schema.createTable('kept_files', (table) => {
      table.string('key').primary();
      table.integer('user_id').notNullable().references('users.id');
      table.bigInteger('size').notNullable();
      table.bigInteger('at').notNullable().index();
    });
    await trx.schema.alterTable('users', (table) => {
      table.bigInteger('bytes_kept').notNullable().defaultTo(0);
    });
    // What was uploaded before counts too. Nobody noted the size of the files of products until now.
    await trx.raw('INSERT INTO kept_files (key, user_id, size, at) SELECT key, user_id, size, at FROM uploads');
    await trx.raw(
      'UPDATE users SET bytes_kept = coalesce((SELECT sum(size) FROM kept_files WHERE user_id = users.id), 0)',
    );
  },
};
