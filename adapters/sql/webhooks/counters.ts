import type { Knex } from 'knex';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { minute } from '../../../core/time.ts';
import { verificationsOf } from '../../../core/webhooks/happenings.ts';
import { isPostgres } from '../database.ts';
import { type LicenseRow, licenseColumns, toLicense } from '../stores/license-rows.ts';
import { addDeliveries, subscribersOf } from '../stores/webhook-outbox.ts';

/** The licenses that one statement compares, and the domains that one transaction stores. */
const licensesAtOnce = 2_000;
const domainsAtOnce = 500;

/**
 * A counter with a time this much earlier than the last run is read again, in milliseconds: its commit may have been late,
 * or the clock of its process slow. A change that is still missed is reported after the next verification of its
 * domain.
 */
const overlap = 10 * minute;

/** A product with an endpoint for its verifications. */
export interface WatchedProduct {
  readonly id: number;
  /** `null` until all its counters were read once. */
  readonly readAt: Instant | null;
}

/** Where to go on: with this license, after this domain. */
export interface CounterPlace {
  readonly license: number;
  readonly domain: string;
}

/** A domain that was verified since the last run. */
interface CounterRow extends LicenseRow {
  readonly domain: string;
  readonly ordinal: number;
  readonly verification_count: number;
  readonly last_verified_at: Instant | null;
  readonly told: number;
}

/** Returns the products that are to be compared, and those that nobody listens to any more. */
export async function watchedProducts(knex: Knex): Promise<{ listened: WatchedProduct[]; unwanted: number[] }> {
  const rows: { id: number; read_at: Instant | null }[] = await knex('products as p')
    .join('webhook_endpoints as e', (on) => on.on('e.owner_id', 'p.owner_id').andOn('e.is_live', 'p.is_live'))
    .leftJoin('webhook_watched as w', 'w.product_id', 'p.id')
    .whereNull('e.off_reason')
    .whereLike('e.events', '%license.verified%')
    .where((its) => its.whereNull('e.product_id').orWhere('e.product_id', knex.ref('p.id')))
    .distinct('p.id', 'w.read_at')
    .orderBy('p.id');
  const watched: number[] = await knex('webhook_watched').pluck('product_id');
  const wanted = new Set(rows.map(({ id }) => id));
  return {
    listened: rows.map(({ id, read_at }) => ({ id, readAt: read_at })),
    unwanted: watched.filter((id) => !wanted.has(id)),
  };
}

/**
 * Returns the next domains of a product whose counters have grown, and where to go on. The rest of a license is read alone:
 * only then do the databases find its place in the index, and do not read all domains before it again.
 */
export async function readCounters(
  knex: Knex,
  { id, readAt }: WatchedProduct,
  from: CounterPlace = { license: 0, domain: '' },
): Promise<{ rows: CounterRow[]; next: CounterPlace | undefined }> {
  const isRest = from.domain !== '';
  const upTo: { id: number } | undefined = isRest
    ? { id: from.license }
    : await knex('licenses')
        .where({ product_id: id })
        .where('id', '>=', from.license)
        .orderBy('id')
        .offset(licensesAtOnce - 1)
        .first('id');
  const rows: CounterRow[] = await knex('licenses as l')
    .join('activations as a', 'a.license_id', 'l.id')
    .leftJoin('webhook_verified as v', (on) =>
      on
        .on('v.product_id', 'l.product_id')
        .andOn('v.license_id', 'a.license_id')
        .andOn('v.domain', 'a.domain')
        .andOn('v.ordinal', 'a.ordinal'),
    )
    .where('l.product_id', id)
    .whereRaw('a.verification_count > coalesce(v.told, 0)')
    .modify((query) => {
      if (isRest) query.where('a.license_id', from.license).where('a.domain', '>', from.domain);
      else query.where('l.id', '>=', from.license);
      if (upTo !== undefined && !isRest) query.where('l.id', '<=', upTo.id);
      if (readAt !== null) query.where('a.last_verified_at', '>=', readAt - overlap);
    })
    .orderBy(['a.license_id', 'a.domain'])
    .limit(domainsAtOnce)
    .select(...licenseColumns.map((column) => `l.${column}`))
    .select('a.domain', 'a.ordinal', 'a.verification_count', 'a.last_verified_at')
    .select(knex.raw('coalesce(v.told, 0) AS told'));
  const last = rows.at(-1);
  if (last && rows.length === domainsAtOnce) return { rows, next: { license: last.id, domain: last.domain } };
  return { rows, next: upTo && { license: upTo.id + 1, domain: '' } };
}

/** Stores counters, and reports their increases to webhooks. Reports nothing in the first run for a product. */
export async function storeCounters(
  trx: Knex.Transaction,
  { id, readAt }: WatchedProduct,
  rows: readonly CounterRow[],
  now: Instant,
): Promise<void> {
  if (rows.length === 0) return;
  const given = isPostgres(trx) ? 'jsonb_array_elements(?::jsonb) AS r (value)' : 'json_each(?) AS r';
  const cell = (index: number, type: string) => `CAST(r.value ->> ${index} AS ${type})`;
  // SQLite needs WHERE here: without it, it reads ON as the condition of a join.
  await trx.raw(
    `INSERT INTO webhook_verified (product_id, license_id, domain, ordinal, told)
     SELECT ?, ${cell(0, 'integer')}, ${cell(1, 'text')}, ${cell(2, 'integer')}, ${cell(3, 'bigint')} FROM ${given} WHERE true
     ON CONFLICT (product_id, license_id, domain) DO UPDATE SET ordinal = excluded.ordinal, told = excluded.told`,
    [id, JSON.stringify(rows.map((row) => [row.id, row.domain, row.ordinal, row.verification_count]))],
  );
  if (readAt === null) return;
  const { product, subscribers } = (await subscribersOf(trx, [id])).get(id) ?? {};
  if (product === undefined || subscribers === undefined) return;
  await addDeliveries(
    trx,
    rows.flatMap((row) => {
      const activation = { domain: row.domain as DomainName, lastVerifiedAt: row.last_verified_at };
      const count = row.verification_count - row.told;
      return verificationsOf(toLicense(row), product, activation, count, now).map((happening) => ({
        happening,
        subscribers,
      }));
    }),
  );
}

/** Notes that all counters of a product were read. */
export async function finishProduct(trx: Knex.Transaction, id: number, at: Instant): Promise<void> {
  await trx('webhook_watched').insert({ product_id: id, read_at: at }).onConflict('product_id').merge(['read_at']);
}

/** Deletes some counters of a product. Returns whether that were the last ones. */
export async function dropWatched(trx: Knex.Transaction, id: number): Promise<boolean> {
  const its = () => trx('webhook_verified').where({ product_id: id });
  // If somebody listens again before the end, all counters are read anew.
  await trx('webhook_watched').where({ product_id: id }).update({ read_at: null });
  const deleted = await its()
    .whereIn(['license_id', 'domain'], its().limit(licensesAtOnce).select('license_id', 'domain'))
    .delete();
  if (deleted >= licensesAtOnce) return false;
  await trx('webhook_watched').where({ product_id: id }).delete();
  return true;
}
