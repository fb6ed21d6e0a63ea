import type { Migration } from '../migrate.ts';

/** The addresses to which buyers pay in USDC. `book` is JSON: it is always read and changed as a whole. */
export const wallets: Migration = {
  name: '0084-wallets',
  async up(trx) {
    await trx.schema.createTable('wallets', (table) => {
      // The seller 0 is the operator.
      table.integer('seller_id').primary();
      table.text('book').notNullable();
    });
  },
};
