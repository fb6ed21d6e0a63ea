import type { Migration } from '../migrate.ts';

/** Adds the least prices of a product whose buyers choose the price, as JSON; those of its offers are part of the offers. */
export const leastPrices: Migration = {
  name: '0066-least-prices',
  async up(trx) {
    await trx.schema.alterTable('products', (table) => {
      table.text('least_prices');
    });
  },
};
