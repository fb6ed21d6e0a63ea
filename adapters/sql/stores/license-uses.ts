import type { LicenseUses } from '../../../core/ports/license-uses.ts';
import type { Database } from '../database.ts';
import type { LicenseRow } from './license-rows.ts';
import { laterOf } from './remove-ended.ts';

export function createSqlLicenseUses({ write }: Pick<Database, 'write'>): LicenseUses {
  return {
    count: (key, at) =>
      write(async (trx) => {
        const [row] = await trx<LicenseRow>('licenses')
          .where({ key })
          .update({
            retired_verification_count: trx.raw('retired_verification_count + 1'),
            retired_last_verified_at: laterOf(trx, at),
          })
          .returning('retired_verification_count');
        return row?.retired_verification_count;
      }),
  };
}
