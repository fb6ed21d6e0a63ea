import type { Migration } from '../migrate.ts';

/** Since when nothing refers to a stored file. The sweep deletes a file only when that is long enough ago. */
export const unreferencedFiles: Migration = {
  name: '0004-unreferenced-files',
  async up(trx) {
    await trx.schema.createTable('unreferenced_files', (table) => {
      table.string('key').primary();
      table.bigInteger('since').notNullable();
    });
  },
};
