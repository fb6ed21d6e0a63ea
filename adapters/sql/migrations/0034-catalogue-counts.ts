import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/**
 * On Postgres, the primary key of terms contains their counts, which a search adds up. A step of its own, because a search
 * may hold this table while it waits for the one that the step before locks.
 */
export const catalogueCounts: Migration = {
  name: '0034-catalogue-counts',
  vacuumed: ['catalogue_terms'],
  async up(trx) {
    if (!isPostgres(trx)) return;
    await trx.raw(
      'ALTER TABLE catalogue_terms DROP CONSTRAINT catalogue_terms_pkey, ADD PRIMARY KEY (term) INCLUDE (products)',
    );
  },
};
