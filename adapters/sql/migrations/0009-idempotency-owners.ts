import type { Migration } from '../migrate.ts';

/** Which request has a key. Keys that older versions have taken have no owner. */
export const idempotencyOwners: Migration = {
  name: '0009-idempotency-owners',
  async up(trx) {
    await trx.schema.alterTable('idempotency', (table) => {
      table.string('owner');
    });
  },
};
