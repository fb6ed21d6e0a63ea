import type { DomainName } from '../../../core/licensing/domain-name.ts';
import type { UnprovenDomains } from '../../../core/ports/unproven-domains.ts';
import type { Database } from '../database.ts';

/**
 * Compares only the first `most` by name. An index by the time of verification would be written with each verification, and a license may have a
 * million domains.
 */
export function createSqlUnprovenDomains({ read }: Pick<Database, 'read'>, most = 1_000): UnprovenDomains {
  return {
    async leastVerified(key) {
      const row: { domain: DomainName } | undefined = await read((knex) =>
        knex
          .from(
            knex('activations')
              .where('license_id', knex('licenses').where({ key }).select('id'))
              .where({ kind: 'slot' })
              .whereNull('ends_at')
              .whereNull('proven_at')
              .orderBy('domain')
              .limit(most)
              .select('domain', 'ordinal', 'last_verified_at')
              .as('some'),
          )
          .orderByRaw('coalesce(last_verified_at, 0), ordinal')
          .first('domain'),
      );
      return row?.domain;
    },
  };
}
