import type { Migration } from '../migrate.ts';

/**
 * The scopes of API keys, as a JSON array, and the key that took the place of a rotated one. Existing keys have no
 * array, which means all scopes, also those of later versions.
 */
export const keyScopes: Migration = {
  name: '0012-key-scopes',
  async up(trx) {
    await trx.schema.alterTable('api_keys', (table) => {
      table.text('scopes');
      // Not a reference: an import adds the rows in the order of their ids, and the newer key comes later.
      table.integer('replaced_by');
    });
  },
};
