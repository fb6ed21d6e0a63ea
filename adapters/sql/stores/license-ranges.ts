import type { Knex } from 'knex';
import type { License } from '../../../core/licensing/license.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { LicensePlace, LicenseQuery } from '../../../core/ports/license-search.ts';
import { comparableId, isPostgres } from '../database.ts';
import { type LicenseRow, licenseColumns, toLicense } from './license-rows.ts';

/** A license that was read, with its place in the list. */
export interface LookedRow {
  readonly id: number;
  readonly license: License;
  readonly place: LicensePlace;
  /** Whether the license is in the list under an earlier text already. */
  readonly isRepeated: boolean;
}

/** Reads the next rows after a place. Each statement reads one range of an index, and at most `count` rows of it. */
export type ReadRows = (
  knex: Knex,
  query: LicenseQuery,
  after: LicensePlace | undefined,
  count: number,
  now: Instant,
) => Promise<LookedRow[]>;

/** No text that begins with `start` is greater than `start` with this character, the last one of Unicode. */
const lastCharacter = '\u{10FFFF}';

const columns = licenseColumns.map((column) => `l.${column}`);

/** The licenses of a product, of an owner, or of a mode: the first columns of an index. */
function range(knex: Knex, { reach, productId, status }: LicenseQuery): Knex.QueryBuilder {
  const query = knex('licenses as l').select(columns);
  if (productId !== undefined) query.where({ 'l.product_id': productId });
  else
    query.where({
      ...(reach.ownerId !== undefined && { 'l.owner_id': reach.ownerId }),
      'l.is_live': Number(reach.isLive),
    });
  // Written out, because SQLite does not use a partial index for a value that it gets later.
  if (status === 'suspended' || status === 'revoked')
    query.whereRaw(`l.standing <> 'active' AND l.standing = '${status}'`);
  return query;
}

/** In the order of issue. */
export const byIssue =
  (order: 'newest' | 'oldest'): ReadRows =>
  async (knex, query, after, count) => {
    const rows: LicenseRow[] = await range(knex, query)
      .modify((rest) => {
        if (after) rest.where('l.id', order === 'newest' ? '<' : '>', comparableId(after.id));
      })
      .orderBy('l.id', order === 'newest' ? 'desc' : 'asc')
      .limit(count);
    return rows.map((row) => looked(row, null));
  };

/** In the order of expiry, without perpetual ones. */
export const byExpiry: ReadRows = async (knex, query, after, count, now) => {
  const { status, expiresBefore } = query;
  const rows: (LicenseRow & { readonly expires_at: number })[] = await range(knex, query)
    .whereNotNull('l.expires_at')
    .modify((rest) => {
      if (status === 'active') rest.where('l.expires_at', '>', now);
      if (status === 'expired') rest.where('l.expires_at', '<=', now);
      if (expiresBefore !== undefined) rest.where('l.expires_at', '<', expiresBefore);
      if (after?.by && 'expiresAt' in after.by) {
        rest.whereRaw('(l.expires_at, l.id) > (?, ?)', [after.by.expiresAt, comparableId(after.id)]);
      }
    })
    .orderBy(['l.expires_at', 'l.id'])
    .limit(count);
  return rows.map((row) => looked(row, { expiresAt: row.expires_at }));
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
    const rows: LicenseRow[] = await knex('licenses as l')
      .select(columns)
      .whereRaw(`${key} >= ? AND ${key} <= ?`, [start, `${start}${lastCharacter}`])
      .modify((rest) => {
        if (after?.by && 'isByKey' in after.by) {
          rest.whereRaw(`${key} > (SELECT key FROM licenses WHERE id = ?)`, [comparableId(after.id)]);
        }
      })
      .orderByRaw(key)
      .limit(count);
    return rows.map((row) => looked(row, { isByKey: true }));
  };

type TextRow = LicenseRow & { readonly text: string; readonly is_repeated: boolean | number };

/** Licenses with a text that begins with the search, in the order of these texts. Leaves out keys that begin with `key`. */
export const byText =
  (search: string, key: string | undefined): ReadRows =>
  async (knex, { reach }, after, count) => {
    const from = after?.by && 'text' in after.by ? { id: after.id, text: after.by.text } : undefined;
    const rows: TextRow[] = await knex('license_texts as t')
      .join('licenses as l', 'l.id', 't.license_id')
      .select(columns)
      .select({
        text: 't.text',
        is_repeated: knex.raw(
          `EXISTS (SELECT 1 FROM license_texts AS f WHERE f.license_id = t.license_id
             AND f.kind IN ('domain', 'holder', 'key', 'reference') AND f.text >= ? AND (f.text, f.kind) < (t.text, t.kind))`,
          [search],
        ),
      })
      .where({ ...(reach.ownerId !== undefined && { 't.owner_id': reach.ownerId }), 't.is_live': Number(reach.isLive) })
      .whereRaw('t.text >= ? AND t.text <= ?', [from?.text ?? search, `${search}${lastCharacter}`])
      .modify((rest) => {
        if (from) rest.whereRaw('(t.text, t.license_id) > (?, ?)', [from.text, comparableId(from.id)]);
      })
      .orderBy(['t.text', 't.license_id'])
      .limit(count);
    return rows.map((row) => ({
      ...looked(row, { text: row.text }),
      isRepeated: Boolean(row.is_repeated) || (key !== undefined && row.key.startsWith(key)),
    }));
  };

function looked(row: LicenseRow, by: LicensePlace['by']): LookedRow {
  return { id: row.id, license: toLicense(row), place: { id: row.id, by }, isRepeated: false };
}
