import { toProductId } from '../../../core/id.ts';
import type { LeaseTermsReader } from '../../../core/ports/lease-terms.ts';
import type { Database } from '../database.ts';

interface TermsRow {
  readonly id: number;
  readonly lease_hours: number;
  readonly max_domains: number;
  readonly www_is_apex: number;
}

export function createSqlLeaseTerms({ read }: Pick<Database, 'read'>): LeaseTermsReader {
  return {
    async find(key) {
      const row: TermsRow | undefined = await read((knex) =>
        knex('licenses')
          .join('products', 'products.id', 'licenses.product_id')
          .where('licenses.key', key)
          .first('products.id', 'products.lease_hours', 'products.www_is_apex', 'licenses.max_domains'),
      );
      if (row === undefined) return undefined;
      const { id, lease_hours: hours, max_domains: maxDomains } = row;
      return { productId: toProductId(id), hours, maxDomains, wwwIsApex: row.www_is_apex === 1 };
    },
  };
}
