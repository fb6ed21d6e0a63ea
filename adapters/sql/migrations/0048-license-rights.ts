import type { Migration } from '../migrate.ts';
import { raiseVersionsBy } from './0010-keys-in-license-versions.ts';

/**
 * Until when a license gets updates, and its entitlements as JSON. The columns are empty in all rows, so no row is written
 * anew. Both are part of what a verification answers, so their change raises the license's version.
 */
export const licenseRights: Migration = {
  name: '0048-license-rights',
  async up(trx) {
    for (const name of ['licenses', 'license_import_lines']) {
      await trx.schema.alterTable(name, (table) => {
        table.bigInteger('updates_until');
        table.text('entitlements');
      });
    }
    await raiseVersionsBy(trx, ['key', 'standing', 'expires_at', 'updates_until', 'entitlements']);
  },
};
