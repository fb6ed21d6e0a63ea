import type { Knex } from 'knex';
import type { LicenseChange, LicenseStore, NewLicense } from '../../core/ports/license-store.ts';
import { isRefused, type Refused, refuse } from '../../core/refusal.ts';
import { record } from './audit-log.ts';
import { type Database, isPostgres } from './database.ts';
import {
  type ActivationRow,
  changedLicenseRow,
  type LicenseRow,
  newLicenseRow,
  toActivation,
  toLicense,
} from './license-rows.ts';

const rowsAtOnce = 500;

interface ProductColumns {
  readonly product_title: string;
  readonly product_slug: string;
}

/** Licenses in SQL; `verify` is given, as it has a way of its own to the database. */
export function createSqlLicenseStore({ read, write }: Database, verify: LicenseStore['verify']): LicenseStore {
  return {
    verify,

    add: (licenses, events) =>
      write(async (trx) => {
        const clash = await takenKey(trx, licenses);
        if (clash !== undefined) return clash;
        await trx.batchInsert('licenses', licenses.map(newLicenseRow), rowsAtOnce);
        await record(trx, events);
        return undefined;
      }),

    async find(key) {
      // One statement, so that the license and its domains are of one moment.
      const rows: (LicenseRow & ActivationRow & ProductColumns)[] = await read((knex) =>
        knex('licenses as l')
          .join('products as p', 'p.id', 'l.product_id')
          .leftJoin('activations as a', 'a.license_id', 'l.id')
          .where('l.key', key)
          .orderBy('a.ordinal', 'desc')
          .select('a.*', 'l.*', 'p.title as product_title', 'p.slug as product_slug'),
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      return {
        license: toLicense(row),
        product: { id: row.product_id, title: row.product_title, slug: row.product_slug },
        domains: rows.filter(({ domain }) => domain !== null).map(toActivation),
      };
    },

    async list({ productId, after, limit }) {
      const rows = await read((knex) =>
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
      write(async (trx) => {
        const row = await trx<LicenseRow>('licenses').where({ key }).forUpdate().first();
        if (row === undefined) return refuse('invalid_key');
        // A batch of verifications holds the rows of its domains: it comes wholly before this change, or wholly after.
        if (domain === undefined && isPostgres(trx)) {
          await trx('activations').where({ license_id: row.id }).orderBy('domain').forUpdate().select(trx.raw('1'));
        }
        const current =
          domain && (await trx<ActivationRow>('activations').where({ license_id: row.id, domain }).forUpdate().first());
        const change = decide(toLicense(row), current && toActivation(current));
        if (!isRefused(change) && change.event !== undefined) await save(trx, row, change);
        return change;
      }),
  };
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
    const [known] = await trx<LicenseRow>('licenses').whereIn('key', keys).limit(1).pluck('key');
    const taken = known ?? keys.find((key) => seen.size === seen.add(key).size);
    if (taken !== undefined) return refuse('key_taken', `The key ${taken} is taken.`);
  }
  return undefined;
}
