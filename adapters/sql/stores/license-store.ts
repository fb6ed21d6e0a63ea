import type { Knex } from 'knex';
import { toProductId } from '../../../core/id.ts';
import { fewLicenses } from '../../../core/licensing/add-licenses.ts';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import { shownDomains } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { LicenseStore } from '../../../core/ports/license-store.ts';
import { isRefused, refuse } from '../../../core/refusal.ts';
import { builtOnce } from '../built-once.ts';
import { comparableId, type Database, isPostgres } from '../database.ts';
import { createTurnsByKey } from '../turns-by-key.ts';
import { thenSpread } from '../webhook-fan-out.ts';
import { createChangeEach } from './change-each.ts';
import { createLicenseChanges } from './license-changes.ts';
import { issuing } from './license-issue.ts';
import { notesOf } from './license-notes.ts';
import {
  type ActivationRow,
  type LicenseRow,
  licenseColumns,
  toActivation,
  toLicense,
  toScene,
} from './license-rows.ts';
import { lockAll, lockLicenses, saveChanges } from './license-writes.ts';
import { lockNamed } from './named-activations.ts';
import { removeEnded } from './remove-ended.ts';

interface FoundRow extends LicenseRow, ActivationRow {
  readonly product_title: string;
  readonly product_slug: string;
  readonly all_verifications: number;
  readonly last_of_all: number | null;
}

/** Stores licenses in SQL. `verify` comes from outside, because it accesses the database in its own way. */
export function createSqlLicenseStore(
  { read, readStale, write, parts }: Database,
  verify: LicenseStore['verify'],
): LicenseStore {
  const readList = readStale ?? read;
  const inTurn = createTurnsByKey<LicenseKey>('license');
  const changeInBatch = createLicenseChanges(write);
  const change: LicenseStore['change'] = (key, named, decide, withNotes) =>
    inTurn(key, async () => {
      if (named !== undefined) {
        let result: ReturnType<typeof decide> | undefined;
        const outcome = await changeInBatch({
          key,
          named,
          decide(license, scene) {
            result = decide(license, scene);
            return isRefused(result) ? undefined : result;
          },
        });
        if (outcome === 'unknown') return refuse('invalid_key');
        if (outcome === 'done' && result !== undefined) return result;
      }
      return await write(async (trx) => {
        const [row] = await lockLicenses(trx, [key], 'wait');
        if (row === undefined) return refuse('invalid_key');
        // A change of standing or expiry writes all rows, and so can an activation that starts the license.
        if (named === undefined || row.days_from_activation !== null) await lockAll(trx, [row.id]);
        const activations = named === undefined ? [] : await lockNamed(trx, { row, named });
        const notes = withNotes && (await notesOf(trx, key));
        const change = decide(toLicense(row), { ...toScene(row, activations), ...(notes && { notes }) });
        if (!isRefused(change)) await saveChanges(trx, [{ row, change }]);
        return change;
      });
    });

  async function add<T>(count: number, issue: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    if (count <= fewLicenses) return await write(issue);
    const inPart: typeof write = async (work) => (await parts.take(write, work)).result;
    return await thenSpread({ write, parts }, inPart, issue);
  }

  return {
    verify,

    add: (licenses, events) => add(licenses.length, issuing(licenses, events)),

    addWithin({ id, most }, licenses, events) {
      const issue = issuing(licenses, events);
      return add(licenses.length, async (trx) => {
        // Whoever adds more for this owner waits here. SQLite has only one writer.
        await trx('users').where({ id }).forNoKeyUpdate().first('id');
        const found = await trx('licenses').where({ owner_id: id }).count({ licenses: '*' }).first();
        if (Number(found?.licenses) + licenses.length > most) return refuse('too_many_licenses');
        return await issue(trx);
      });
    },

    async find(key, freshness = 'fresh') {
      const stale: FoundRow[] =
        freshness === 'stale' && readStale ? await readStale((knex) => found(knex, '', key)) : [];
      // A new license may not be in the replica yet.
      const rows: FoundRow[] = stale.length > 0 ? stale : await read((knex) => found(knex, '', key));
      const [row] = rows;
      if (row === undefined) return undefined;
      return {
        number: row.id,
        license: toLicense(row),
        product: { id: toProductId(row.product_id), title: row.product_title, slug: row.product_slug },
        domains: rows.filter(({ domain }) => domain !== null).map(toActivation),
        verifications: { verificationCount: row.all_verifications, lastVerifiedAt: row.last_of_all },
      };
    },

    async look(by) {
      const [row] = await read((knex) =>
        'key' in by ? looked(knex, 'key', by.key) : looked(knex, 'id', comparableId(by.number)),
      );
      return row && { number: row.id, license: toLicense(row) };
    },

    findAll: async (keys, most) => (keys.length === 0 ? [] : await read((knex) => findAll(knex, keys, most))),

    async list({ productId, after, limit }) {
      const rows = await readList((knex) =>
        knex<LicenseRow>('licenses')
          .select(...licenseColumns)
          .modify((query) => {
            if (productId !== undefined) query.where({ product_id: productId });
            if (after !== undefined) query.where('id', '>', knex('licenses').where({ key: after }).select('id'));
          })
          .orderBy('id')
          .limit(limit),
      );
      return rows.map(toLicense);
    },

    change,
    changeEach: createChangeEach({ read, write, parts }, change),
    removeEnded: (now, limit) => write((trx) => removeEnded(trx, now, limit)),
  };
}

/**
 * One statement, so that all data is consistent. The database adds up all activations, and returns only those that are
 * shown: those that take no slot or end at some time, which are few, and the newest of the others.
 */
const found = builtOnce<'', FoundRow[], [LicenseKey]>((knex, _, key) => {
  const its = () => knex('activations').where('license_id', knex('wanted').select('id'));
  const isSpecial = "kind <> 'slot' OR ends_at IS NOT NULL";
  return knex
    .withMaterialized(
      'wanted',
      knex('licenses as l')
        .join('products as p', 'p.id', 'l.product_id')
        .where('l.key', key)
        .select(...licenseColumns.map((column) => `l.${column}`), 'p.title as product_title', 'p.slug as product_slug'),
    )
    .withMaterialized(
      'counted',
      its().select(
        knex.raw('CAST(coalesce(sum(verification_count), 0) AS bigint) AS all_verifications'),
        knex.raw('max(last_verified_at) AS last_of_all'),
        knex.raw(`count(CASE WHEN ${isSpecial} THEN 1 END) AS special`),
      ),
    )
    .withMaterialized(
      'newest',
      its()
        // Knex accepts no expression as a limit.
        .orderByRaw(
          `CASE WHEN ${isSpecial} THEN 0 ELSE 1 END, ordinal DESC LIMIT (SELECT special + ${shownDomains} FROM counted)`,
        ),
    )
    .from('wanted')
    .crossJoin(knex.ref('counted'))
    .leftJoin('newest', 'newest.license_id', 'wanted.id')
    .orderBy('newest.ordinal', 'desc')
    .select('newest.*', 'wanted.*', 'counted.*');
});

/** `LicenseStore.look`. */
const looked = builtOnce<'key' | 'id', LicenseRow[], [LicenseKey | number]>((knex, column, value) =>
  knex('licenses')
    .where(column, value)
    .select(...licenseColumns),
);

/** `LicenseStore.findAll`. Reads the domains of each license once, and keeps only the newest. */
async function findAll(knex: Knex, keys: readonly LicenseKey[], most: number) {
  const newest = knex('activations')
    .where('license_id', knex.ref('l.id'))
    .whereNull('ends_at')
    .orderBy('ordinal', 'desc')
    .limit(most)
    .select('domain');
  const listed = knex.raw(`CAST(${isPostgres(knex) ? 'json_agg' : 'json_group_array'}(newest.domain) AS text)`);
  const rows: (LicenseRow & { readonly newest: string | null })[] = await knex('licenses as l')
    .whereIn('l.key', [...keys])
    .select(...licenseColumns.map((column) => `l.${column}`), {
      newest: knex.from(newest.as('newest')).select(listed),
    });
  return rows.map((row) => ({
    license: toLicense(row),
    domains: JSON.parse(row.newest ?? '[]') as DomainName[],
  }));
}
