import type { Migration } from '../migrate.ts';

/**
 * How far each reminder of ends of licenses has come, for each mode. The index `licenses_of_mode_by_expiry` of migration
 * 0022 finds the licenses.
 */
export const expiryReminders: Migration = {
  name: '0050-expiry-reminders',
  async up(trx) {
    await trx.schema.createTable('expiry_reminders', (table) => {
      table.integer('days').notNullable();
      table.integer('is_live').notNullable();
      table.bigInteger('expires_at').notNullable();
      table.bigInteger('license_id').notNullable();
      table.primary(['days', 'is_live']);
    });
  },
};
