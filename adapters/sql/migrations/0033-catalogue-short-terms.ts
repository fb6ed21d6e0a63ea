import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/**
 * On Postgres too, the indexes of the catalogue contain all columns that a search compares. Postgres refuses index rows of
 * more than 2,704 bytes. So the indexes contain terms up to 2,000 bytes, and searches read longer ones from the table.
 *
 * Meanwhile nobody can change or search products. 100,000 of them take some seconds.
 */
export const catalogueShortTerms: Migration = {
  name: '0033-catalogue-short-terms',
  vacuumed: ['catalogue'],
  async up(trx) {
    if (!isPostgres(trx)) return;
    await trx.raw('DROP INDEX catalogue_by_price');
    await trx.raw('DROP INDEX catalogue_by_sales');
    await trx.raw(`ALTER TABLE catalogue ADD COLUMN short_terms text COLLATE "C"
      GENERATED ALWAYS AS (CASE WHEN octet_length(terms) <= 2000 THEN terms END) STORED`);
    await trx.raw('CREATE INDEX catalogue_by_price ON catalogue (price, id) INCLUDE (sold, short_terms)');
    await trx.raw('CREATE INDEX catalogue_by_sales ON catalogue (sold, id) INCLUDE (price, short_terms)');
  },
};
