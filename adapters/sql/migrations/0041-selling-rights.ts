import type { Migration } from '../migrate.ts';

/** What administrators have allowed a seller. */
export const sellingRights: Migration = {
  name: '0041-selling-rights',
  async up(trx) {
    await trx.schema.alterTable('users', (table) => {
      table.string('selling');
    });
  },
};
