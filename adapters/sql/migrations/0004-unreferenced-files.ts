import type { Migration } from '../migrate.ts';

/**
 * Stored files without references. `since` is the time when this was noticed. The sweep deletes a file only after a
 * waiting time.
 */
export const unreferencedFiles: Migration = {
  name: '0004-unreferenced-files',
  async up(trx) {
    await trx.schema.createTable('unreferenced_files', (table) => {
      table.string('key').primary();
      table.bigInteger('since').notNullable();
    });
  },
};
