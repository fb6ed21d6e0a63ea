import type { Migration } from '../migrate.ts';

/**
 * Older versions accepted patterns such as `*.example.com` as domains. The API refuses them now, so nobody could
 * deactivate them. This deactivates them all. Their counts are added to the license.
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
