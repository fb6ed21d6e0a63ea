import type { Migration } from '../migrate.ts';

/** Adds the right to sell, which administrators give to a user. */
export const sellingRights: Migration = {
  name: '0041-selling-rights',
  async up(trx) {
    await trx.schema.alterTable('users', (table) => {
      table.string('selling');
    });
  },
};
