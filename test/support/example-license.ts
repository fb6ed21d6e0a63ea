import type { Database } from '../../adapters/sql/database.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';

/** The license key in the examples of the OpenAPI document. */
export const exampleKey = 'LIC-7H2K-9QWX-M4TB-C0VJ' as LicenseKey;

/** The id of an alias in the examples of the OpenAPI document. */
export const exampleAlias = 12;

const alias = { kind: 'other', digest: 'd0', exact_digest: 'e0', hint: 'abcd…yz', added_at: 1 };

/** Makes a license one on which the operation with this path succeeds, whatever was done to it before. */
export async function prepareLicense({ write }: Pick<Database, 'write'>, key: LicenseKey, path: string): Promise<void> {
  const standing = path.endsWith('/reinstate') ? 'suspended' : 'active';
  const used = { domains_used: 1, activations_made: 1, moves_made: 0 };
  await write(async (trx) => {
    const former = await trx('license_aliases').where({ key }).first('license_id');
    if (former) await trx('licenses').where({ id: former.license_id }).update({ key });
    await trx('licenses')
      .where({ key })
      .update({ standing, expires_at: Date.UTC(2030, 0, 1), ...used, clock_ahead: null, forced: null });
    const { id } = await trx('licenses').where({ key }).first('id');
    await trx('license_aliases').where({ license_id: id }).delete();
    if (/aliases\/\S/.test(path)) {
      await trx('license_aliases').where({ id: exampleAlias }).delete();
      await trx('license_aliases').insert({ ...alias, id: exampleAlias, license_id: id });
    }
    await trx('activations').where({ license_id: id }).delete();
    await trx('activations').insert({ license_id: id, domain: 'app.example.com', ordinal: 1, activated_at: 1 });
  });
}
