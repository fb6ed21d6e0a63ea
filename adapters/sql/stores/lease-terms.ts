import { toProductId } from '../../../core/id.ts';
import type { LeaseTermsReader } from '../../../core/ports/lease-terms.ts';
import type { Database } from '../database.ts';

export function createSqlLeaseTerms({ read }: Pick<Database, 'read'>): LeaseTermsReader {
  return {
    async find(key) {
      const row: { id: number; lease_hours: number; max_domains: number } | undefined = await read((knex) =>
        knex('licenses')
          .join('products', 'products.id', 'licenses.product_id')
          .where('licenses.key', key)
          .first('products.id', 'products.lease_hours', 'licenses.max_domains'),
      );
      return row && { productId: toProductId(row.id), hours: row.lease_hours, maxDomains: row.max_domains };
    },
  };
}
