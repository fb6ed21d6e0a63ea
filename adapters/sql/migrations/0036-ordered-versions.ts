import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/** Finds the orders that agreed on a version of a product. `agreedVersion` has the same expression. */
export const orderedVersions: Migration = {
  name: '0036-ordered-versions',
  async up(trx) {
    const version = isPostgres(trx) ? "(agreed::json ->> 'version')" : "json_extract(agreed, '$.version')";
    await trx.raw(`CREATE INDEX orders_agreed_version_index ON orders (product_id, ${version}, state)`);
  },
};
