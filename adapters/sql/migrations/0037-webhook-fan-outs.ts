import type { Migration } from '../migrate.ts';

/** What is still to be added of the deliveries of large changes. Most of the time this table is empty. */
export const webhookFanOuts: Migration = {
  name: '0037-webhook-fan-outs',
  async up(trx) {
    await trx.schema.createTable('webhook_fan_outs', (table) => {
      table.bigIncrements('id');
      table.text('batch').notNullable();
      table.integer('deliveries').notNullable();
      table.bigInteger('due').notNullable();
    });
  },
};
