import type { Migration } from '../migrate.ts';

/** Roles and suspensions of users. */
export const roles: Migration = {
  name: '0011-roles',
  async up(trx) {
    await trx.schema.alterTable('users', (table) => {
      table.string('role');
      table.bigInteger('suspended_at');
    });
  },
};
