import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/**
 * Each activation has a version of its license. A verification writes only this row, and the version shows whether the
 * license has changed since it was read. A trigger raises the version, whoever changes the license.
 */
export const licenseVersions: Migration = {
  name: '0003-license-versions',
  async up(trx) {
    await trx.raw('ALTER TABLE activations ADD COLUMN license_version integer NOT NULL DEFAULT 0');
    const countUp = 'UPDATE activations SET license_version = license_version + 1 WHERE license_id = NEW.id;';
    const changed = isPostgres(trx) ? 'IS DISTINCT FROM' : 'IS NOT';
    const when = `WHEN (OLD.standing ${changed} NEW.standing OR OLD.expires_at ${changed} NEW.expires_at)`;
    const trigger = 'CREATE TRIGGER license_changed AFTER UPDATE OF standing, expires_at ON licenses FOR EACH ROW';
    if (!isPostgres(trx)) {
      await trx.raw(`${trigger} ${when} BEGIN ${countUp} END`);
      return;
    }
    await trx.raw(`CREATE FUNCTION count_up_license_version() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN ${countUp} RETURN NULL; END $$`);
    await trx.raw(`${trigger} ${when} EXECUTE FUNCTION count_up_license_version()`);
  },
};
