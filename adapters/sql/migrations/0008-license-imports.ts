import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/** The running import with the process that owns it, and its staged lines. */
export const licenseImports: Migration = {
  name: '0008-license-imports',
  async up(trx) {
    await trx.schema.createTable('license_imports', (table) => {
      table.increments('id');
      table.string('origin').notNullable();
      table.string('state').notNullable();
      table.string('actor').notNullable();
      table.text('reason');
      table.bigInteger('at').notNullable();
      table.string('owner').notNullable();
      table.string('host').notNullable();
      table.bigInteger('pid').notNullable();
      table.bigInteger('leased_until').notNullable();
    });
    // Only one import runs at a time, so lines need no id of their import. A line without a product is invalid.
    await trx.raw(`CREATE TABLE license_import_lines (
      line integer PRIMARY KEY,
      key text ${isPostgres(trx) ? 'COLLATE "C"' : ''} NOT NULL UNIQUE,
      product_id integer,
      standing text,
      max_domains integer,
      expires_at bigint
    )`);
  },
};
