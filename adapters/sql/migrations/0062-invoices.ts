import type { Migration } from '../migrate.ts';

/**
 * Invoices and credit notes. They are JSON of their order, with which they are always read. Orders that were paid before get
 * no invoice: what the seller was called then is not known any more. They keep their number and their receipt.
 */
export const invoices: Migration = {
  name: '0062-invoices',
  async up(trx) {
    await trx.schema.alterTable('orders', (table) => {
      table.text('billing');
      table.text('invoice');
      table.text('credit_notes');
    });
    await trx.schema.alterTable('order_numbers', (table) => {
      table.integer('last_credit_note').notNullable().defaultTo(0);
    });
    // The details of sellers for their invoices. The seller 0 is the operator.
    await trx.schema.createTable('invoice_profiles', (table) => {
      table.integer('seller_id').primary();
      table.text('profile').notNullable();
      table.bigInteger('updated_at').notNullable();
    });
  },
};
