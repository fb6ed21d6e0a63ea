import type { Knex } from 'knex';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { LastingDomain, LicenseDetails } from '../../../core/ports/license-search.ts';
import type { Database } from '../database.ts';

/** The domains that are read at once. A license can have a million. */
const atOnce = 5_000;

interface DomainRow {
  readonly license_id: number;
  readonly ordinal: number;
  readonly key: string;
  readonly domain: string;
  readonly activated_at: number;
}

export function createSqlLicenseDetails({
  read,
  readStale = read,
}: Pick<Database, 'read' | 'readStale'>): LicenseDetails {
  return {
    async metadataOf(keys) {
      const rows: { readonly key: string; readonly metadata: string }[] = await readStale((knex) =>
        knex('licenses').whereIn('key', keys).whereNotNull('metadata').select('key', 'metadata'),
      );
      return new Map(rows.map((row) => [row.key as LicenseKey, JSON.parse(row.metadata)]));
    },

    async *domainsOf(keys) {
      const ids: number[] = await readStale((knex) => knex('licenses').whereIn('key', keys).orderBy('id').pluck('id'));
      let last: DomainRow | undefined;
      for (;;) {
        const rows = await readStale((knex) => domainsAfter(knex, ids, last));
        yield rows.map(toDomain);
        last = rows.at(-1);
        if (last === undefined || rows.length < atOnce) return;
      }
    },
  };
}

function toDomain({ key, domain, activated_at, ordinal }: DomainRow): LastingDomain {
  return { key: key as LicenseKey, domain: domain as DomainName, activatedAt: activated_at, ordinal };
}

/** Reads domains after the last one, in the order of the primary key: the rest of its license, then those of the next ones. */
async function domainsAfter(knex: Knex, ids: readonly number[], last: DomainRow | undefined): Promise<DomainRow[]> {
  const rows = last === undefined ? [] : await domainsOf(knex, [last.license_id], last.domain, atOnce);
  const next = ids.filter((id) => last === undefined || id > last.license_id);
  if (rows.length < atOnce && next.length > 0)
    rows.push(...(await domainsOf(knex, next, undefined, atOnce - rows.length)));
  return rows;
}

async function domainsOf(
  knex: Knex,
  ids: readonly number[],
  after: string | undefined,
  count: number,
): Promise<DomainRow[]> {
  return await knex('activations as a')
    .join('licenses as l', 'l.id', 'a.license_id')
    .whereIn('a.license_id', ids)
    .whereNull('a.ends_at')
    .modify((query) => {
      if (after !== undefined) query.where('a.domain', '>', after);
    })
    .orderBy(['a.license_id', 'a.domain'])
    .limit(count)
    .select('a.license_id', 'a.ordinal', 'l.key', 'a.domain', 'a.activated_at');
}
