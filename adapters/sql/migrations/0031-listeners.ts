import type { Migration } from '../migrate.ts';

/** When somebody last fetched from an endpoint without an address. Those with an address have no such time. */
export const listeners: Migration = {
  name: '0031-listeners',
  async up(trx) {
    await trx.schema.alterTable('webhook_endpoints', (table) => {
      table.bigInteger('listened_at');
    });
  },
};
