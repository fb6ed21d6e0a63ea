import type { Migration } from '../migrate.ts';

/** The request that has taken an idempotency key. Keys from older versions have no owner. */
export const idempotencyOwners: Migration = {
  name: '0009-idempotency-owners',
  async up(trx) {
    await trx.schema.alterTable('idempotency', (table) => {
      table.string('owner');
    });
  },
};
