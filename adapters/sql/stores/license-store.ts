import type { Knex } from 'knex';
import { toProductId } from '../../../core/id.ts';
import { shownDomains } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { LicenseChange, LicenseStore, NewLicense } from '../../../core/ports/license-store.ts';
import { isRefused, type Refused, refuse } from '../../../core/refusal.ts';
import { type Database, isPostgres } from '../database.ts';
import { lockKeys } from '../key-lock.ts';
import { record } from './audit-log.ts';
import {
  type ActivationRow,
  changedLicenseRow,
  type LicenseRow,
  newLicenseRow,
  toActivation,
  toLicense,
} from './license-rows.ts';
import { createLicenseTurns } from './license-turns.ts';

const rowsAtOnce = 500;
/** How long a change waits for a row that another session has locked. */
const rowTimeout = '1s';

interface FoundRow extends LicenseRow, ActivationRow {
  readonly product_title: string;
  readonly product_slug: string;
  readonly all_verifications: number;
  readonly last_of_all: number | null;
}

/** Stores licenses in SQL. `verify` comes from outside, because it accesses the database in its own way. */
export function createSqlLicenseStore(
  { read, readStale, write }: Database,
  verify: LicenseStore['verify'],
): LicenseStore {
  const readList = readStale ?? read;
  const inTurn = createLicenseTurns();
  return {
    verify,

    add: (licenses, events) =>
      write(async (trx) => {
        await lockKeys(trx, 'shared');
        const clash = await takenKey(trx, licenses);
        if (clash !== undefined) return clash;
        await trx.batchInsert('licenses', licenses.map(newLicenseRow), rowsAtOnce);
        await record(trx, events);
        return undefined;
      }),

    async find(key, freshness = 'fresh') {
      const stale: FoundRow[] = freshness === 'stale' && readStale ? await readStale((knex) => found(knex, key)) : [];
      // A new license may not be in the replica yet.
      const rows: FoundRow[] = stale.length > 0 ? stale : await read((knex) => found(knex, key));
      const [row] = rows;
      if (row === undefined) return undefined;
      return {
        license: toLicense(row),
        product: { id: toProductId(row.product_id), title: row.product_title, slug: row.product_slug },
        domains: rows.filter(({ domain }) => domain !== null).map(toActivation),
        verifications: { verificationCount: row.all_verifications, lastVerifiedAt: row.last_of_all },
      };
    },

    async list({ productId, after, limit }) {
      const rows = await readList((knex) =>
        knex<LicenseRow>('licenses')
          .modify((query) => {
            if (productId !== undefined) query.where({ product_id: productId });
            if (after !== undefined) query.where('id', '>', knex('licenses').where({ key: after }).select('id'));
          })
          .orderBy('id')
          .limit(limit),
      );
      return rows.map(toLicense);
    },

    change: (key, domain, decide) =>
      inTurn(key, () =>
        write(async (trx) => {
          const row = await lockLicense(trx, key);
          if (row === undefined) return refuse('invalid_key');
          // A batch of verifications locks the rows of its domains. It runs completely before this change, or after it.
          if (domain === undefined && isPostgres(trx)) {
            const held = trx('activations')
              .where({ license_id: row.id })
              .orderBy('domain')
              .forUpdate()
              .select(trx.raw('1'));
            await trx.from(held.as('held')).count({ rows: '*' }); // Only the number of rows is sent.
          }
          const current =
            domain &&
            (await trx<ActivationRow>('activations').where({ license_id: row.id, domain }).forUpdate().first());
          const change = decide(toLicense(row), current && toActivation(current));
          if (!isRefused(change) && change.event !== undefined) await save(trx, row, change);
          return change;
        }),
      ),
  };
}

/**
 * Locks the license until the end of the transaction. The same statement sets the lock timeout for itself and for the
 * rest of the transaction. This works because the database joins before it locks.
 */
async function lockLicense(trx: Knex.Transaction, key: LicenseKey): Promise<LicenseRow | undefined> {
  const license = trx<LicenseRow>('licenses as l').where('l.key', key).forUpdate('l');
  if (isPostgres(trx)) {
    license.crossJoin(trx.raw("(SELECT set_config('lock_timeout', ?, true)) AS patience", [rowTimeout]));
  }
  return await license.first('l.*');
}

/** One statement, so that all data is consistent. The database adds up all domains, and returns only the newest. */
function found(knex: Knex, key: LicenseKey): Knex.QueryBuilder {
  const its = () => knex('activations').where('license_id', knex('wanted').select('id'));
  return knex
    .withMaterialized(
      'wanted',
      knex('licenses as l')
        .join('products as p', 'p.id', 'l.product_id')
        .where('l.key', key)
        .select('l.*', 'p.title as product_title', 'p.slug as product_slug'),
    )
    .withMaterialized(
      'counted',
      its().select(
        knex.raw('CAST(coalesce(sum(verification_count), 0) AS bigint) AS all_verifications'),
        knex.raw('max(last_verified_at) AS last_of_all'),
      ),
    )
    .withMaterialized('newest', its().orderBy('ordinal', 'desc').limit(shownDomains))
    .from('wanted')
    .crossJoin(knex.ref('counted'))
    .leftJoin('newest', 'newest.license_id', 'wanted.id')
    .orderBy('newest.ordinal', 'desc')
    .select('newest.*', 'wanted.*', 'counted.*');
}

async function save(trx: Knex.Transaction, row: LicenseRow, { license, add, remove, event }: LicenseChange) {
  const ordinal = row.activations_made + (add ? 1 : 0);
  await trx('licenses')
    .where({ id: row.id })
    .update({ ...changedLicenseRow(license), activations_made: ordinal });
  if (remove) await trx('activations').where({ license_id: row.id, domain: remove }).delete();
  if (add) {
    await trx('activations').insert({ license_id: row.id, ordinal, domain: add.domain, activated_at: add.activatedAt });
  }
  if (event) await record(trx, [event]);
}

async function takenKey(
  trx: Knex.Transaction,
  licenses: readonly NewLicense[],
): Promise<Refused<'key_taken'> | undefined> {
  const seen = new Set<string>();
  for (let start = 0; start < licenses.length; start += rowsAtOnce) {
    const keys = licenses.slice(start, start + rowsAtOnce).map(({ key }) => key);
    const [known] = await trx('licenses').whereIn('key', keys).limit(1).pluck('key');
    const [staged] = await trx('license_import_lines').whereIn('key', keys).limit(1).pluck('key');
    const taken = known ?? staged ?? keys.find((key) => seen.size === seen.add(key).size);
    if (taken !== undefined) return refuse('key_taken', `The key ${taken} is taken.`);
  }
  return undefined;
}
