import type { Migration } from '../migrate.ts';

/**
 * The kinds of activated hosts, hosts that are being moved, and licenses that start with their first activation. The
 * index is empty except during moves.
 */
export const hosts: Migration = {
  name: '0021-hosts',
  async up(trx) {
    await trx.schema.alterTable('licenses', (table) => {
      table.integer('free_domains').notNullable().defaultTo(0);
      table.string('moves_month');
      table.integer('moves_made').notNullable().defaultTo(0);
      table.integer('days_from_activation');
    });
    await trx.raw("ALTER TABLE activations ADD COLUMN kind text NOT NULL DEFAULT 'slot'");
    await trx.raw('ALTER TABLE activations ADD COLUMN ends_at bigint');
    await trx.raw('ALTER TABLE activations ADD COLUMN moved_to text');
    await trx.raw('ALTER TABLE activations ADD COLUMN moved_from text');
    await trx.raw('CREATE INDEX activations_ends_at ON activations (ends_at) WHERE ends_at IS NOT NULL');
    await trx.schema.alterTable('license_import_lines', (table) => {
      table.integer('days_from_activation');
    });
  },
};
