import type { Migration } from '../migrate.ts';

/**
 * What a user has paid, and what administrators gave meanwhile. Both are empty while nothing is paid. `tier` stays the plan
 * that counts.
 */
export const paidPlans: Migration = {
  name: '0052-paid-plans',
  async up(trx) {
    await trx.schema.alterTable('users', (table) => {
      table.string('paid_tier');
      table.string('assigned_tier');
    });
    // It has only the few users who have paid.
    await trx.raw('CREATE INDEX users_paid_tier ON users (id) WHERE paid_tier IS NOT NULL');
  },
};
