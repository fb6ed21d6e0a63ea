import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/** The import that is running, with the process that works on it, and the lines that it has staged. */
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
    // There is one import at a time, so that its lines need not name it. A line without a product has a fault.
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
