import type { Knex } from 'knex';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { Stray } from '../../../core/licensing/strays.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { StrayStore } from '../../../core/ports/stray-store.ts';
import { day } from '../../../core/time.ts';
import { comparableId, type Database } from '../database.ts';
import { forgetRows, givingTurns } from '../in-steps.ts';
import { toHostRules } from '../product-terms.ts';
import { record } from './audit-log.ts';
import { type LicenseRow, licenseColumns, toLicense } from './license-rows.ts';
import { tell } from './tell.ts';
import { tellOfLicenses } from './webhook-outbox.ts';

interface StrayRow {
  readonly license_id: number;
  readonly domain: string;
  readonly network: string;
  readonly first_at: number;
  readonly last_at: number;
  readonly calls: number | string;
  readonly seen: number;
}

export function createSqlStrayStore(database: Database): StrayStore {
  const { read, readStale = read, write } = database;
  return {
    async change(key, at, decide) {
      await givingTurns(() => write((trx) => changeOne(trx, key, at, decide)));
    },

    async ofLicense(key) {
      const rows = await readStale((knex) =>
        knex<StrayRow>('license_strays')
          .where('license_id', knex('licenses').where({ key }).select('id'))
          .orderBy([{ column: 'calls', order: 'desc' }, 'domain']),
      );
      return rows.map(toStray);
    },

    async days(of, from) {
      const rows: { day: number | string; calls: number | string }[] = await readStale((knex) =>
        knex('license_stray_days')
          .where(
            'key' in of
              ? { license_id: knex('licenses').where({ key: of.key }).select('id') }
              : { product_id: comparableId(of.productId) },
          )
          .where('day', '>=', from)
          .groupBy('day')
          .orderBy('day')
          .select('day', knex.raw('sum(calls) as calls')),
      );
      return rows.map((row) => ({ day: Number(row.day), calls: Number(row.calls) }));
    },

    async ofProduct(productId, from, limit) {
      const rows: { key: LicenseKey; calls: number | string; domains: number | string }[] = await readStale((knex) =>
        knex
          .from(
            knex('license_stray_days')
              .where({ product_id: comparableId(productId) })
              .where('day', '>=', from)
              .groupBy('license_id')
              .select('license_id', knex.raw('sum(calls) as calls'))
              .orderBy([{ column: 'calls', order: 'desc' }, 'license_id'])
              .limit(limit)
              .as('most'),
          )
          .join('licenses as l', 'l.id', 'most.license_id')
          .orderBy([{ column: 'calls', order: 'desc' }, 'license_id'])
          .select(
            'l.key',
            'calls',
            knex('license_strays').where('license_id', knex.ref('most.license_id')).count().as('domains'),
          ),
      );
      return rows.map((row) => ({ key: row.key, calls: Number(row.calls), domains: Number(row.domains) }));
    },

    async forget(before) {
      const strays = await forgetOf(database, 'license_strays', 'last_at', before);
      const days = await forgetOf(database, 'license_stray_days', 'day', before);
      await forgetRows<number>(
        database,
        async (knex, most) =>
          await knex('license_leaks')
            .where((query) => query.whereNull('suspected_at').orWhere('suspected_at', '<', before))
            .whereNotIn('license_id', knex('license_strays').select('license_id'))
            .limit(most)
            .pluck('license_id'),
        (trx, ids) =>
          trx('license_leaks')
            .whereIn('license_id', [...ids])
            .delete(),
      );
      return strays + days;
    },
  };
}

/** Deletes the rows from before a time, some licenses at once. */
async function forgetOf(database: Database, table: string, column: string, before: Instant): Promise<number> {
  return await forgetRows<number>(
    database,
    async (knex, most) => await knex(table).where(column, '<', before).distinct().limit(most).pluck('license_id'),
    (trx, ids) =>
      trx(table)
        .whereIn('license_id', [...ids])
        .where(column, '<', before)
        .delete(),
    50,
  );
}

async function changeOne(
  trx: Knex.Transaction,
  key: LicenseKey,
  at: Instant,
  decide: Parameters<StrayStore['change']>[2],
): Promise<boolean> {
  const row: LicenseRow | undefined = await trx<LicenseRow>('licenses')
    .where({ key })
    .first(...licenseColumns);
  if (row === undefined) return false;
  const ofLicense = { license_id: row.id };
  // Two processes add to one license one after the other. The license itself is not locked: it is verified meanwhile.
  await trx('license_leaks').insert(ofLicense).onConflict('license_id').ignore();
  const [leak] = await trx<{ suspected_at: number | string | null }>('license_leaks').where(ofLicense).forUpdate();
  const before: StrayRow[] = await trx<StrayRow>('license_strays').where(ofLicense);
  const product: Parameters<typeof toHostRules>[0] & { readonly title: string } = await trx('products')
    .where({ id: row.product_id })
    .first('title', 'local_hosts_are_free', 'preview_hosts', 'www_is_apex');
  const change = decide({
    license: toLicense(row),
    product: { title: product.title, hosts: toHostRules(product) },
    strays: before.map(toStray),
    suspectedAt: leak?.suspected_at == null ? null : Number(leak.suspected_at),
  });
  if (change === undefined) return false;
  const { strays, calls, event, news } = change;
  const kept = new Set(strays.map(({ domain }) => domain));
  const gone = before.map(({ domain }) => domain).filter((domain) => !kept.has(domain));
  if (gone.length > 0) await trx('license_strays').where(ofLicense).whereIn('domain', gone).delete();
  const known = new Map(before.map((one) => [one.domain, Number(one.calls)]));
  const changed = strays.filter(({ domain, calls: now }) => known.get(domain) !== now);
  if (changed.length > 0) {
    await trx('license_strays')
      .insert(changed.map((one) => toRow(row.id, one)))
      .onConflict(['license_id', 'domain'])
      .merge();
  }
  await trx('license_stray_days')
    .insert({ ...ofLicense, product_id: row.product_id, day: at - (at % day), calls })
    .onConflict(['license_id', 'day'])
    .merge({ calls: trx.raw('license_stray_days.calls + excluded.calls') });
  if (event === undefined) return true;
  await trx('license_leaks').where(ofLicense).update({ suspected_at: at });
  await record(trx, [event]);
  await tellOfLicenses(trx, [{ event, license: { ...toLicense(row), productId: row.product_id } }]);
  await tell(trx, news ?? {});
  return true;
}

function toStray({ domain, network, first_at, last_at, calls, seen }: StrayRow): Stray {
  return { domain, network, firstAt: Number(first_at), lastAt: Number(last_at), calls: Number(calls), seen };
}

function toRow(licenseId: number, { domain, network, firstAt, lastAt, calls, seen }: Stray): StrayRow {
  return { license_id: licenseId, domain, network, first_at: firstAt, last_at: lastAt, calls, seen };
}
