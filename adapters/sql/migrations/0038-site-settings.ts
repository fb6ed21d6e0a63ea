import type { Migration } from '../migrate.ts';

/** What administrators set in the browser. A setting that is not set any more keeps its row, so that the revision never falls. */
export const siteSettings: Migration = {
  name: '0038-site-settings',
  async up(trx) {
    await trx.schema.createTable('site_settings', (table) => {
      table.string('name').primary();
      table.text('value');
      table.bigInteger('revision').notNullable();
    });
  },
};
