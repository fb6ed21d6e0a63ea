import type { Migration } from '../migrate.ts';

/**
 * The files of each user with their sizes in bytes. The sum is stored in the user's row, so that one statement can
 * check and raise it when a file is added.
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
    // Earlier uploads count too. Earlier files of products do not, because their sizes were not stored.
    await trx.raw('INSERT INTO kept_files (key, user_id, size, at) SELECT key, user_id, size, at FROM uploads');
    await trx.raw(
      'UPDATE users SET bytes_kept = coalesce((SELECT sum(size) FROM kept_files WHERE user_id = users.id), 0)',
    );
  },
};
