import type { Knex } from 'knex';
import type { License } from '../../../core/licensing/license.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { LicensePlace, LicenseQuery } from '../../../core/ports/license-search.ts';
import { builtOnce } from '../built-once.ts';
import { comparableId, isPostgres, largestId } from '../database.ts';
import { type Cells, type IndexRange, inRange, joinOne } from '../index-range.ts';
import { inOneRow, type PackedRows, packed } from '../packed-rows.ts';
import { type LicenseRow, licenseColumns, toLicense, toLicenseRows } from './license-rows.ts';

/** A license that was read, with its place in the list. */
export interface LookedRow {
  readonly id: number;
  readonly license: License;
  readonly place: LicensePlace;
  /** Whether the license is in the list under an earlier text already. */
  readonly isRepeated: boolean;
}

export interface ReadRange {
  readonly rows: readonly LookedRow[];
  /** Whether the range has no more rows. */
  readonly isLast: boolean;
}

/** Reads the next rows after a place. Each statement reads one range of an index, and at most `count` rows of it. */
export type ReadRows = (
  knex: Knex,
  query: LicenseQuery,
  after: LicensePlace | undefined,
  count: number,
  now: Instant,
) => Promise<ReadRange>;

const columns = licenseColumns.map((column) => `l.${column}`);

/** The licenses of a product, of an owner, or of a mode: the first columns of an index. */
function scopeOf({ reach, productId }: LicenseQuery): Cells {
  return productId === undefined ? reachOf(reach) : { product_id: comparableId(productId) };
}

function reachOf({ ownerId, isLive }: LicenseQuery['reach']): Cells {
  return { ...(ownerId !== undefined && { owner_id: comparableId(ownerId) }), is_live: Number(isLive) };
}

/** The shape is JSON. The values are those of `names`, and the id. */
const inOrderOfIssue = builtOnce<string, PackedRows[], (number | string)[]>((knex, shape, ...values) => {
  const { names, isInactive, isAfter, direction, count } = JSON.parse(shape);
  const licenses = knex('licenses as l').select(packed(knex, columns));
  // Otherwise the index of those that are not active could not be used.
  if (isInactive) licenses.whereRaw("l.standing <> 'active'");
  const within = Object.fromEntries(names.map((name: string, n: number) => [name, values[n]]));
  const range: IndexRange = { table: 'l', within, from: { id: values.at(-1) ?? 0 }, isAfter, direction };
  return inOneRow(knex, inRange(knex, licenses, range, count));
});

/** In the order of issue. */
export const byIssue =
  (order: 'newest' | 'oldest'): ReadRows =>
  async (knex, query, after, count) => {
    const { status } = query;
    const inactive = status === 'suspended' || status === 'revoked' ? { standing: status } : undefined;
    const within = { ...scopeOf(query), ...inactive };
    const direction = order === 'newest' ? 'desc' : 'asc';
    const id = after ? comparableId(after.id) : direction === 'desc' ? largestId : 0;
    const names = Object.keys(within);
    const shape = JSON.stringify({
      names,
      isInactive: inactive !== undefined,
      isAfter: after !== undefined,
      direction,
      count,
    });
    const rows = await inOrderOfIssue(knex, shape, ...Object.values(within), id);
    return cut(toLicenseRows(rows), count, isWithin(within), (row) => looked(row, null));
  };

type ExpiringRow = LicenseRow & { readonly expires_at: number };

/** In the order of expiry, without perpetual ones. */
export const byExpiry: ReadRows = async (knex, query, after, count, now) => {
  const { status, expiresBefore = Number.POSITIVE_INFINITY } = query;
  const within = scopeOf(query);
  const expiring = knex('licenses as l').select(columns).whereNotNull('l.expires_at');
  const last =
    after?.by && 'expiresAt' in after.by ? { at: after.by.expiresAt, id: comparableId(after.id) } : undefined;
  const rows: ExpiringRow[] = [];
  // Many can expire at the same time as the last one. They have an order of their own, by their ids.
  if (last) {
    const its = { ...within, expires_at: last.at };
    const range: IndexRange = { table: 'l', within: its, from: { id: last.id }, isAfter: true, direction: 'asc' };
    const found: ExpiringRow[] = await inRange(knex, expiring.clone(), range, count);
    rows.push(...inside(found, isWithin(its)));
  }
  if (rows.length < count) {
    const start = last ? last.at + 1 : status === 'active' ? now + 1 : Number.MIN_SAFE_INTEGER;
    const from = { expires_at: start, id: 0 };
    const range: IndexRange = { table: 'l', within, from, isAfter: false, direction: 'asc' };
    rows.push(...(await inRange(knex, expiring, range, count - rows.length)));
  }
  const end = status === 'expired' ? Math.min(expiresBefore, now + 1) : expiresBefore;
  const isOfScope = isWithin(within);
  return cut(
    rows,
    count,
    (row) => isOfScope(row) && row.expires_at < end,
    (row) => looked(row, { expiresAt: row.expires_at }),
  );
};

/** Returns the start of a key that the search is, in upper case, or `undefined` if it lacks the first group of a key. */
export function startOfKey(search: string): string | undefined {
  return /^lic-[a-z0-9]{4}(?:-[a-z0-9]{0,4}){0,3}$/.test(search) ? search.toUpperCase() : undefined;
}

/** Licenses whose keys begin with `start`, in the order of their keys. */
export const byKey =
  (start: string): ReadRows =>
  async (knex, _query, after, count) => {
    const key = isPostgres(knex) ? 'l.key COLLATE "C"' : 'l.key';
    const isAfter = after?.by && 'isByKey' in after.by;
    // Without an end, and with a start that Postgres does not know when it plans, for the reasons that `inRange` gives.
    const rows: LicenseRow[] = await knex('licenses as l')
      .select(columns)
      .whereRaw(
        isAfter ? `${key} > (SELECT key FROM licenses WHERE id = ?)` : `${key} >= (SELECT CAST(? AS text))`,
        isAfter ? [comparableId(after.id)] : [start],
      )
      .orderByRaw(key)
      .limit(count);
    return cut(
      rows,
      count,
      (row) => row.key.startsWith(start),
      (row) => looked(row, { isByKey: true }),
    );
  };

type TextRow = LicenseRow & { readonly text: string; readonly is_repeated: boolean | number };

/** Whether the license of the text `t` has an earlier text that begins with the search. */
const isRepeated = `EXISTS (SELECT 1 FROM license_texts AS f
  WHERE f.license_id = t.license_id AND f.kind IN ('domain', 'holder', 'key', 'reference')
    AND f.text >= ? AND f.text <= t.text AND (f.text, f.kind) < (t.text, t.kind))`;

/** Licenses with a text that begins with the search, in the order of these texts. Leaves out keys that begin with `key`. */
export const byText =
  (search: string, key: string | undefined): ReadRows =>
  async (knex, { reach }, after, count) => {
    const within = reachOf(reach);
    const place = after?.by && 'text' in after.by ? { text: after.by.text, license_id: comparableId(after.id) } : null;
    const rows: TextRow[] = await inRange(
      knex,
      knex
        .from(knex.raw(`license_texts AS t ${joinOne(knex, 'licenses', 'l', 't.license_id')}`))
        .select(columns)
        .select({ text: 't.text', is_repeated: knex.raw(isRepeated, [search]) }),
      { table: 't', within, from: place ?? { text: search, license_id: 0 }, isAfter: place !== null, direction: 'asc' },
      count,
    );
    const isInside = isWithin(within);
    return cut(
      rows,
      count,
      (row) => isInside(row) && row.text.startsWith(search),
      (row) => ({
        ...looked(row, { text: row.text }),
        isRepeated: Boolean(row.is_repeated) || (key !== undefined && row.key.startsWith(key)),
      }),
    );
  };

/** Returns the rows before the first one outside. All that follow are outside too. */
function inside<Row>(rows: readonly Row[], isInside: (row: Row) => boolean): readonly Row[] {
  const end = rows.findIndex((row) => !isInside(row));
  return end < 0 ? rows : rows.slice(0, end);
}

function cut<Row>(
  rows: readonly Row[],
  count: number,
  isInside: (row: Row) => boolean,
  look: (row: Row) => LookedRow,
): ReadRange {
  const found = inside(rows, isInside);
  return { rows: found.map(look), isLast: found.length < count };
}

function isWithin(cells: Cells): (row: LicenseRow) => boolean {
  const wanted = Object.entries(cells);
  return (row) => wanted.every(([column, cell]) => !(column in row) || Reflect.get(row, column) === cell);
}

function looked(row: LicenseRow, by: LicensePlace['by']): LookedRow {
  return { id: row.id, license: toLicense(row), place: { id: row.id, by }, isRepeated: false };
}
