import type { Knex } from 'knex';
import { toProductId } from '../../../core/id.ts';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import { type Activation, type License, statusOf } from '../../../core/licensing/license.ts';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import type { FoundLicenses, LicensePlace, LicenseQuery, LicenseSearch } from '../../../core/ports/license-search.ts';
import { builtOnce } from '../built-once.ts';
import { type Database, isPostgres } from '../database.ts';
import { joinOne } from '../index-range.ts';
import { inOneRow, type PackedRows, packed, unpacked } from '../packed-rows.ts';
import { notesOf, toShortNotes } from './license-notes.ts';
import { byExpiry, byIssue, byKey, byText, type LookedRow, type ReadRows, startOfKey } from './license-ranges.ts';

/** How many rows a page reads at most, and how many at a time after the first ones. */
const most = 2_000;
const atOnce = 500;

/** The activated domains that are returned on each side of a domain. */
const neighbours = 50;

interface Looked {
  readonly rows: readonly LookedRow[];
  readonly next: LicensePlace | undefined;
}

export function createSqlLicenseSearch({
  read,
  readStale = read,
}: Pick<Database, 'read' | 'readStale'>): LicenseSearch {
  /** Reads rows in order until the page is full, the rows end, or `most` rows were read. */
  async function look(readRows: ReadRows, query: LicenseQuery, now: Instant): Promise<Looked> {
    const rows: LookedRow[] = [];
    let after = query.after;
    for (let count = 0; count < most; ) {
      const wanted = count === 0 ? query.limit + 1 : Math.min(atOnce, most - count);
      const found = await readStale((knex) => readRows(knex, query, after, wanted, now));
      for (const row of found.rows) {
        if (isWanted(row, query, now)) {
          if (rows.length === query.limit) return { rows, next: rows.at(-1)?.place };
          rows.push(row);
        }
        after = row.place;
      }
      if (found.isLast) return { rows, next: undefined };
      count += wanted;
    }
    return { rows, next: after };
  }

  async function load({ rows, next }: Looked): Promise<FoundLicenses> {
    if (rows.length === 0) return { licenses: [], next };
    const ids = JSON.stringify(rows.map(({ id }) => id));
    const found = unpacked<FoundCells>(await readStale((knex) => withIds(knex, '', ids)));
    const byId = new Map(found.map((cells) => [cells[0], cells]));
    const licenses = rows.flatMap(({ id, license }) => {
      const cells = byId.get(id);
      return cells ? [toFound(license, cells)] : [];
    });
    return { licenses, next };
  }

  return {
    list: async (query, order, now) =>
      await load(await look(order === 'expires' ? byExpiry : byIssue(order), query, now)),

    async find(query, search, now) {
      const start = startOfKey(search);
      const { after, limit } = query;
      if (start === undefined || (after?.by && 'text' in after.by)) {
        return await load(await look(byText(search, start), query, now));
      }
      const first = await look(byKey(start), query, now);
      const last = first.rows.at(-1);
      if (first.next !== undefined || (last !== undefined && first.rows.length === limit)) {
        return await load({ ...first, next: first.next ?? last?.place });
      }
      const rest = { ...query, after: undefined, limit: limit - first.rows.length };
      const { rows, next } = await look(byText(search, start), rest, now);
      return await load({ rows: [...first.rows, ...rows], next });
    },

    notesOf: (key) => read((knex) => notesOf(knex, key)),

    domainsNear: (key, domains) => read((knex) => near(knex, key, domains)),
  };
}

/** Reads the notes and products of licenses. `ids` are JSON. */
const withIds = builtOnce<'', PackedRows[], [string]>((knex, _, ids) => {
  const given = isPostgres(knex) ? 'jsonb_array_elements(?::jsonb) AS g (value)' : 'json_each(?) AS g';
  const license = joinOne(knex, 'licenses', 'l', 'CAST(g.value AS integer)');
  const found = knex
    .from(knex.raw(`${given} ${license} ${joinOne(knex, 'products', 'p', 'l.product_id')}`, [ids]))
    .select(packed(knex, ['l.id', 'l.holder_email', 'l.holder_name', 'l.reference', 'p.id', 'p.title', 'p.slug']));
  return inOneRow(knex, found);
});

type FoundCells = readonly [
  id: number,
  holderEmail: string | null,
  holderName: string | null,
  reference: string | null,
  productId: number,
  productTitle: string,
  productSlug: string,
];

function toFound(license: License, [, holder_email, holder_name, reference, productId, title, slug]: FoundCells) {
  const product = { id: toProductId(productId), title, slug };
  return { license, product, notes: toShortNotes({ holder_email, holder_name, reference }) };
}

/** Whether a row belongs in the list. The ranges of some indexes also contain other rows. */
function isWanted(
  { license, isRepeated }: LookedRow,
  { reach, productId, status, expiresBefore }: LicenseQuery,
  now: Instant,
): boolean {
  return (
    !isRepeated &&
    license.isLive === reach.isLive &&
    (reach.ownerId === undefined || license.ownerId === reach.ownerId) &&
    (productId === undefined || license.productId === productId) &&
    (status === undefined || statusOf(license, now) === status) &&
    (expiresBefore === undefined || (license.expiresAt !== null && license.expiresAt < expiresBefore))
  );
}

async function near(
  knex: Knex,
  key: LicenseKey,
  domains: readonly [DomainName, ...DomainName[]],
): Promise<Pick<Activation, 'domain' | 'endsAt'>[]> {
  const [asked] = domains;
  const its = () => knex('activations').where('license_id', knex('licenses').where({ key }).select('id'));
  const beside = (sign: '<' | '>') =>
    its()
      .where('domain', sign, asked)
      .orderBy('domain', sign === '<' ? 'desc' : 'asc')
      .limit(neighbours);
  const found: { domain: string; ends_at: number | null }[] = [];
  for (const some of [its().whereIn('domain', domains), beside('<'), beside('>')]) {
    found.push(...(await some.select('domain', 'ends_at')));
  }
  return found.map((row) => ({ domain: row.domain as DomainName, endsAt: row.ends_at }));
}
