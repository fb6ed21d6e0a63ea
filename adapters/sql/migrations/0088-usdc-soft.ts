import type { Migration } from '../migrate.ts';

/** Adds to payments in USDC whether they are so deep in their chain that they hardly ever go away. */
export const usdcSoft: Migration = {
  name: '0088-usdc-soft',
  async up(trx) {
    await trx.schema.alterTable('usdc_transfers', (table) => {
      table.integer('is_soft').notNullable().defaultTo(0);
    });
  },
};
