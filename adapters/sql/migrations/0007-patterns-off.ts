import type { Migration } from '../migrate.ts';

/**
 * Older versions took patterns such as `*.example.com` for domains. No call can name them any more, so they give their slots back
 * here, as if they had been deactivated: their counts stay with the license.
 */
export const patternsOff: Migration = {
  name: '0007-patterns-off',
  async up(trx) {
    const patterns = () => trx('activations').where('domain', 'like', '%*%');
    for (const { license_id, verification_count, last_verified_at } of await patterns()) {
      const license = trx('licenses').where({ id: license_id });
      const { retired_last_verified_at: last } = await license.clone().forUpdate().first('retired_last_verified_at');
      await license
        .decrement('domains_used', 1)
        .increment('retired_verification_count', verification_count)
        .update({ retired_last_verified_at: Math.max(last ?? 0, last_verified_at ?? 0) || null });
    }
    await patterns().delete();
  },
};
