import type { Migration } from '../migrate.ts';

/** Payments in USDC: what buyers are asked to pay, what has come, and how far each chain is known. */
export const usdc: Migration = {
  name: '0085-usdc',
  async up(trx) {
    await trx.schema.createTable('usdc_quotes', (table) => {
      table.increments('id');
      table.integer('order_id').notNullable().references('orders.id');
      table.integer('chain_id').notNullable();
      table.string('address').notNullable();
      // Millionths of a dollar.
      table.bigInteger('amount').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('ends_at').notNullable();
      // 1 as long as no other quote for the address can have this amount.
      table.integer('is_held').notNullable();
      // How often its transfers have changed, and how much of that its order knows.
      table.integer('changes').notNullable().defaultTo(0);
      table.integer('told').notNullable().defaultTo(0);
      table.unique(['order_id', 'chain_id']);
    });
    await trx.raw('CREATE UNIQUE INDEX usdc_amounts ON usdc_quotes (chain_id, address, amount) WHERE is_held = 1');
    await trx.raw('CREATE INDEX usdc_untold ON usdc_quotes (chain_id) WHERE changes > told');
    await trx.raw('CREATE INDEX usdc_held ON usdc_quotes (chain_id, ends_at) WHERE is_held = 1');
    await trx.schema.createTable('usdc_transfers', (table) => {
      table.integer('chain_id').notNullable();
      table.string('tx_hash').notNullable();
      table.integer('log_index').notNullable();
      table.bigInteger('block_number').notNullable();
      table.string('block_hash').notNullable();
      table.string('from_address').notNullable();
      table.string('to_address').notNullable();
      table.bigInteger('amount').notNullable();
      table.integer('quote_id').notNullable().references('usdc_quotes.id');
      table.integer('is_final').notNullable();
      table.primary(['chain_id', 'tx_hash', 'log_index']);
      table.index(['quote_id']);
    });
    await trx.raw('CREATE INDEX usdc_pending ON usdc_transfers (chain_id) WHERE is_final = 0');
    await trx.schema.createTable('usdc_watches', (table) => {
      table.integer('chain_id').primary();
      table.integer('revision').notNullable();
      table.bigInteger('last_block');
    });
  },
};
