import type { Migration } from '../migrate.ts';

/** When an account of the sandbox ends. All other accounts have none, and nothing deletes them. */
export const sandbox: Migration = {
  name: '0097-sandbox',
  async up(trx) {
    await trx.schema.alterTable('users', (table) => {
      table.bigInteger('sandbox_until');
    });
    await trx.raw('CREATE INDEX users_of_sandbox ON users (sandbox_until) WHERE sandbox_until IS NOT NULL');
  },
};
