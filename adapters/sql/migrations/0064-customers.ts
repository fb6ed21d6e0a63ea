import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/**
 * Lists of customers step from address to address in these indexes. They contain only orders that were paid or are free. On
 * Postgres, they compare as SQLite does, whatever the collation of the database.
 */
export const customers: Migration = {
  name: '0064-customers',
  async up(trx) {
    const email = isPostgres(trx) ? 'email COLLATE "C"' : 'email';
    await trx.raw(
      `CREATE INDEX orders_customers_of_seller ON orders (seller_id, is_live, ${email}, id) WHERE paid_at IS NOT NULL`,
    );
    await trx.raw(`CREATE INDEX orders_customers ON orders (is_live, ${email}, id) WHERE paid_at IS NOT NULL`);
  },
};
