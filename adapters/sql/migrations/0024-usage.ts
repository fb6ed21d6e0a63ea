import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/**
 * The increases of the counters of verifications, by product and hour and by license and day. `at` is the start of the
 * hour or day, or 0 for the counts from before the first snapshot. `domains` are the active domains at its end.
 * There are no foreign keys, because Postgres would lock a license for each row.
 */
export const usage: Migration = {
  name: '0024-usage',
  async up(trx) {
    const clustered = isPostgres(trx) ? '' : 'WITHOUT ROWID';
    for (const subject of ['product', 'license']) {
      await trx.raw(`CREATE TABLE ${subject}_usage (
        ${subject}_id integer NOT NULL,
        at bigint NOT NULL,
        verifications bigint NOT NULL,
        domains integer NOT NULL,
        PRIMARY KEY (${subject}_id, at)
      ) ${clustered}`);
    }
    // The counters of each license at its last snapshot. A license that was never used has no row.
    await trx.raw(`CREATE TABLE usage_counted (
      license_id integer PRIMARY KEY,
      verifications bigint NOT NULL,
      domains integer NOT NULL
    ) ${isPostgres(trx) ? 'WITH (fillfactor = 70)' : ''}`);
    // At most one row: the hours that are filled, and the process that fills the next ones.
    await trx.schema.createTable('usage_runs', (table) => {
      table.string('subject').primary();
      table.bigInteger('counted_to');
      table.string('owner').notNullable();
      table.bigInteger('leased_until').notNullable();
    });
  },
};
