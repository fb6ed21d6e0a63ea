import type { Migration } from '../migrate.ts';

/** Deletes the counters of client addresses. They are no longer stored, because every start would load them all. */
export const countersOfAccounts: Migration = {
  name: '0006-counters-of-accounts',
  async up(trx) {
    await trx('counters').whereNot('id', 'like', '%:account:user:%').delete();
    await trx.schema.alterTable('counters', (table) => table.index('reset_at'));
  },
};
