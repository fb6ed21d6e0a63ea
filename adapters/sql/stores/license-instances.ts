import type { Knex } from 'knex';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import { type InstanceId, nameOfInstance } from '../../../core/licensing/instance.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { Instance, LicenseInstances } from '../../../core/ports/license-instances.ts';
import type { Database } from '../database.ts';

interface FoundRow {
  readonly id: string | null;
  readonly name: string | null;
  readonly domain: string;
  readonly activated_at: number;
}

/** The activations of a license, each with its instance if one is kept. */
function activations(knex: Knex, key: LicenseKey) {
  return knex('activations as a')
    .join('licenses as l', 'l.id', 'a.license_id')
    .leftJoin('license_instances as i', (on) => {
      on.on('i.license_id', 'a.license_id').andOn('i.domain', 'a.domain');
    })
    .where('l.key', key);
}

/** Knex leaves out ON CONFLICT after a SELECT. */
const insert = `INSERT INTO license_instances (license_id, id, domain, name)
  SELECT a.license_id, CAST(? AS text), a.domain, CAST(? AS text)
  FROM activations AS a JOIN licenses AS l ON l.id = a.license_id
  WHERE l.key = ? AND a.domain = ? ON CONFLICT (license_id, domain) DO NOTHING`;

export function createSqlLicenseInstances({ read, write }: Pick<Database, 'read' | 'write'>): LicenseInstances {
  return {
    async find(key, id) {
      const row: FoundRow | undefined = await read((knex) =>
        activations(knex, key)
          .where(
            'a.domain',
            knex.raw('coalesce((SELECT domain FROM license_instances WHERE license_id = l.id AND id = ?), ?)', [
              id,
              nameOfInstance(id),
            ]),
          )
          .first('i.id', 'i.name', 'a.domain', 'a.activated_at'),
      );
      return row && toInstance(row, id);
    },

    async keep(key, { id, name, domain }) {
      const ofDomain = (knex: Knex): Promise<FoundRow | undefined> =>
        activations(knex, key).where('a.domain', domain).first('i.id', 'i.name', 'a.domain', 'a.activated_at');
      const before = await read(ofDomain);
      if (before !== undefined && before.id !== null) return toInstance(before, id);
      const row = await write(async (trx) => {
        await trx.raw(insert, [id, name, key, domain]);
        return await ofDomain(trx);
      });
      return row && toInstance(row, id);
    },

    async namesOf(key, domains) {
      if (domains.length === 0) return new Map();
      const rows: { readonly domain: string; readonly name: string }[] = await read((knex) =>
        knex('license_instances')
          .where('license_id', knex('licenses').where({ key }).select('id'))
          .whereIn('domain', domains)
          .select('domain', 'name'),
      );
      return new Map(rows.map(({ domain, name }) => [domain as DomainName, name]));
    },
  };
}

function toInstance(row: FoundRow, asked: InstanceId): Instance {
  return {
    id: (row.id ?? asked) as InstanceId,
    name: row.name ?? '',
    domain: row.domain as DomainName,
    activatedAt: row.activated_at,
  };
}
