import type { Migration } from '../migrate.ts';

/** Marks the versions that licenses whose updates have ended may fetch too. The column is empty in all rows. */
export const versionsForEverybody: Migration = {
  name: '0051-versions-for-everybody',
  async up(trx) {
    await trx.schema.alterTable('product_versions', (table) => {
      table.integer('for_everybody');
    });
  },
};
