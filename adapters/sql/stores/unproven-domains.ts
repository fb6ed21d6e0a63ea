import type { DomainName } from '../../../core/licensing/domain-name.ts';
import type { UnprovenDomains } from '../../../core/ports/unproven-domains.ts';
import type { Database } from '../database.ts';

/** Reads all domains of the license: an index by the time of verification would be written with each one. */
export function createSqlUnprovenDomains({ read }: Pick<Database, 'read'>): UnprovenDomains {
  return {
    async leastVerified(key) {
      const row: { domain: DomainName } | undefined = await read((knex) =>
        knex('activations')
          .where('license_id', knex('licenses').where({ key }).select('id'))
          .where({ kind: 'slot' })
          .whereNull('ends_at')
          .whereNull('proven_at')
          .orderByRaw('coalesce(last_verified_at, 0), ordinal')
          .first('domain'),
      );
      return row?.domain;
    },
  };
}
