import type { Migration } from '../migrate.ts';

/**
 * Adds the table of transfers in USDC that paid no order by themselves, and that buyers have claimed for one. A transfer has one claim at
 * most that was not rejected.
 */
export const usdcClaims: Migration = {
  name: '0089-usdc-claims',
  async up(trx) {
    await trx.schema.createTable('usdc_claims', (table) => {
      table.increments('id');
      table.integer('order_id').notNullable().references('orders.id');
      table.integer('chain_id').notNullable();
      table.string('tx_hash').notNullable();
      table.integer('log_index').notNullable();
      table.bigInteger('block_number').notNullable();
      table.string('block_hash').notNullable();
      table.string('from_address').notNullable();
      table.string('to_address').notNullable();
      table.bigInteger('amount').notNullable();
      // Always 1: only final transfers can be claimed. The rows have the columns of other transfers.
      table.integer('is_final').notNullable();
      // When it was sent, as the block says.
      table.bigInteger('sent_at').notNullable();
      table.string('state').notNullable();
      table.text('reason');
      table.bigInteger('created_at').notNullable();
      table.bigInteger('decided_at');
      table.unique(['order_id', 'chain_id', 'tx_hash', 'log_index']);
    });
    await trx.raw(
      "CREATE UNIQUE INDEX usdc_claimed ON usdc_claims (chain_id, tx_hash, log_index) WHERE state <> 'rejected'",
    );
    await trx.raw("CREATE INDEX usdc_claims_open ON usdc_claims (id) WHERE state = 'open'");
  },
};
