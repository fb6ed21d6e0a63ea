import type { Migration } from '../migrate.ts';

/** Adds the table of transfers in USDC that sellers have sent back. A transfer counts once, for one order. */
export const usdcSentBack: Migration = {
  name: '0087-usdc-sent-back',
  async up(trx) {
    await trx.schema.createTable('usdc_sent_back', (table) => {
      table.integer('chain_id').notNullable();
      table.string('tx_hash').notNullable();
      table.integer('log_index').notNullable();
      table.bigInteger('block_number').notNullable();
      table.string('block_hash').notNullable();
      table.string('from_address').notNullable();
      table.string('to_address').notNullable();
      table.bigInteger('amount').notNullable();
      table.integer('order_id').notNullable().references('orders.id');
      // Cents of the price.
      table.bigInteger('refund').notNullable();
      table.integer('is_final').notNullable();
      table.primary(['chain_id', 'tx_hash', 'log_index']);
      table.index(['order_id']);
    });
    await trx.raw('CREATE INDEX usdc_going_back ON usdc_sent_back (chain_id, block_number) WHERE is_final = 0');
  },
};
