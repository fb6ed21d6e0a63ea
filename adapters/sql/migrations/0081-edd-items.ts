import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/** Finds the product that has an id of EDD Software Licensing. `findPublicEddItem` has the same expression. */
export const eddItems: Migration = {
  name: '0081-edd-items',
  async up(trx) {
    const item = isPostgres(trx) ? "(adapters::json #>> '{edd,itemId}')" : "json_extract(adapters, '$.edd.itemId')";
    await trx.raw(`CREATE INDEX products_edd_item_index ON products (${item}) WHERE adapters IS NOT NULL`);
  },
};
