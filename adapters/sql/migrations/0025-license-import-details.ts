import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/** The notes and the activated domains of imported licenses, until the import is finished. */
export const licenseImportDetails: Migration = {
  name: '0025-license-import-details',
  async up(trx) {
    await trx.schema.alterTable('license_import_lines', (table) => {
      table.text('holder_email');
      table.text('holder_name');
      table.text('reference');
      table.text('metadata');
      table.integer('domains_used').notNullable().defaultTo(0);
      table.integer('free_domains').notNullable().defaultTo(0);
    });
    await trx.raw(`CREATE TABLE license_import_hosts (
      line integer NOT NULL REFERENCES license_import_lines (line) ON DELETE CASCADE,
      ordinal integer NOT NULL,
      domain text NOT NULL,
      activated_at bigint NOT NULL,
      kind text NOT NULL,
      PRIMARY KEY (line, ordinal)
    ) ${isPostgres(trx) ? '' : 'WITHOUT ROWID'}`);
  },
};
