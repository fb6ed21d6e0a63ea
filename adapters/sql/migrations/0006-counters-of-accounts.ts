import type { Migration } from '../migrate.ts';

/** The counters of client addresses are no longer kept; they would all be loaded at each start. */
export const countersOfAccounts: Migration = {
  name: '0006-counters-of-accounts',
  async up(trx) {
    await trx('counters').whereNot('id', 'like', '%:account:user:%').delete();
    await trx.schema.alterTable('counters', (table) => table.index('reset_at'));
  },
};
