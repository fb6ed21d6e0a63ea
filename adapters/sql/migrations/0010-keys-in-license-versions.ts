import type { Knex } from 'knex';
import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/** A new license key also raises the license's version, so that verifications with the old key fail at once. */
export const keysInLicenseVersions: Migration = {
  name: '0010-keys-in-license-versions',
  up: (trx) => raiseVersionsBy(trx, ['key', 'standing', 'expires_at']),
};

/** A change of one of these columns raises the license's version from now on. */
export async function raiseVersionsBy(trx: Knex.Transaction, columns: readonly string[]): Promise<void> {
  const changed = isPostgres(trx) ? 'IS DISTINCT FROM' : 'IS NOT';
  const when = columns.map((column) => `OLD.${column} ${changed} NEW.${column}`).join(' OR ');
  const countUp = isPostgres(trx)
    ? 'EXECUTE FUNCTION count_up_license_version()'
    : 'BEGIN UPDATE activations SET license_version = license_version + 1 WHERE license_id = NEW.id; END';
  await trx.raw(`DROP TRIGGER license_changed${isPostgres(trx) ? ' ON licenses' : ''}`);
  await trx.raw(
    `CREATE TRIGGER license_changed AFTER UPDATE OF ${columns.join(', ')} ON licenses FOR EACH ROW WHEN (${when}) ${countUp}`,
  );
}
