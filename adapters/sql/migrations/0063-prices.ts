import type { Migration } from '../migrate.ts';

/**
 * Adds the prices of a product in other currencies, as JSON; those of its offers are part of the offers. And the currency of
 * what a period of a license is worth, which is empty for the base currency.
 */
export const prices: Migration = {
  name: '0063-prices',
  async up(trx) {
    await trx.schema.alterTable('products', (table) => {
      table.text('prices');
    });
    await trx.schema.alterTable('license_periods', (table) => {
      table.string('currency');
    });
  },
};
