import type { Migration } from '../migrate.ts';

/** An import has the number of the lines that were no licenses to import. */
export const passedOverLines: Migration = {
  name: '0082-passed-over-lines',
  async up(trx) {
    await trx.schema.alterTable('license_imports', (table) => {
      table.integer('passed_over').notNullable().defaultTo(0);
    });
  },
};
