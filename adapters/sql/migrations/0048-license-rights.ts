import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

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
    const changed = isPostgres(trx) ? 'IS DISTINCT FROM' : 'IS NOT';
    const columns = ['key', 'standing', 'expires_at', 'updates_until', 'entitlements'];
    const when = columns.map((column) => `OLD.${column} ${changed} NEW.${column}`).join(' OR ');
    const countUp = isPostgres(trx)
      ? 'EXECUTE FUNCTION count_up_license_version()'
      : 'BEGIN UPDATE activations SET license_version = license_version + 1 WHERE license_id = NEW.id; END';
    await trx.raw(`DROP TRIGGER license_changed${isPostgres(trx) ? ' ON licenses' : ''}`);
    await trx.raw(
      `CREATE TRIGGER license_changed AFTER UPDATE OF ${columns.join(', ')} ON licenses FOR EACH ROW WHEN (${when}) ${countUp}`,
    );
  },
};
