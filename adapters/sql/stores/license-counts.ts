import type { Knex } from 'knex';
import type { Instant } from '../../../core/ports/clock.ts';
import { type Count, type LicenseCounts, mostCounted } from '../../../core/ports/license-counts.ts';
import type { OwnedProducts } from '../../../core/ports/usage-figures.ts';
import { steps } from '../../../core/selling/usage-hours.ts';
import { builtOnce } from '../built-once.ts';
import { comparableId, type Database, isPostgres, returned } from '../database.ts';
import { type IndexRange, inRange } from '../index-range.ts';

/** The licenses that one statement looks at. For many more, Postgres could rather read the whole table. */
const atOnce = 1_000;

interface LookedCounts {
  readonly looked: number | string;
  readonly last: number | null;
  readonly active: number | string;
}

/** Each count reads one range of an index, and at most one row more than `mostCounted` says. */
export function createSqlLicenseCounts({
  read,
  readStale = read,
}: Pick<Database, 'read' | 'readStale'>): LicenseCounts {
  return {
    async active(owner, now) {
      let [count, last] = [0, 0];
      for (let looked = 0; looked < mostCounted.active; looked += atOnce) {
        const after = last;
        const found = await readStale((knex) => activeAfter(knex, owner, after, now));
        count += Number(found.active);
        if (Number(found.looked) < atOnce) return { count, isAtLeast: false };
        last = Number(found.last);
      }
      return { count, isAtLeast: true };
    },

    issued: (owner, days) =>
      readStale(async (knex) => {
        const most = mostCounted.issuedInADay;
        const { owner_id, is_live } = ownedBy(owner);
        const isOnPostgres = isPostgres(knex);
        const given = isOnPostgres ? 'jsonb_array_elements_text(?::jsonb) AS d (value)' : 'json_each(?) AS d';
        const start = 'CAST(d.value AS bigint)';
        const statement = `
          SELECT ${start} AS at, (SELECT count(*) FROM (
            SELECT 1 FROM licenses AS l
            WHERE l.owner_id = ? AND l.is_live = ? AND l.created_at >= ${start} AND l.created_at < ${start} + ${steps.day}
            LIMIT ${most + 1}
          ) AS found) AS count
          FROM ${given} ORDER BY 1`;
        const result = await knex.raw(statement, [owner_id, is_live, JSON.stringify(days)]);
        const rows: { at: number; count: number | string }[] = isOnPostgres ? result.rows : result;
        const counts = new Map(rows.map(({ at, count }) => [Number(at), Number(count)]));
        return days.map((at) => ({ at, ...countOf(counts.get(at) ?? 0, most) }));
      }),
  };
}

/** Counts among the owner's next licenses. */
async function activeAfter(knex: Knex, owner: OwnedProducts, last: number, now: Instant): Promise<LookedCounts> {
  const { owner_id, is_live } = ownedBy(owner);
  return returned(await lookedAfter(knex, '', owner_id, is_live, last, now));
}

type Values = [owner_id: number, is_live: number, last: number, now: Instant];
const lookedAfter = builtOnce<'', LookedCounts[], Values>((knex, _, owner_id, is_live, last, now) => {
  const within = { owner_id, is_live };
  const licenses = knex('licenses as l').select('l.id', 'l.owner_id', 'l.is_live', 'l.standing', 'l.expires_at');
  const range: IndexRange = { table: 'l', within, from: { id: last }, isAfter: true, direction: 'asc' };
  return knex
    .from(inRange(knex, licenses, range, atOnce).as('looked'))
    .where(within)
    .select(
      knex.raw('count(*) AS looked, max(id) AS last'),
      knex.raw("count(CASE WHEN standing = 'active' AND (expires_at IS NULL OR expires_at > ?) THEN 1 END) AS active", [
        now,
      ]),
    );
});

function ownedBy({ ownerId, isLive }: OwnedProducts) {
  return { owner_id: comparableId(ownerId), is_live: Number(isLive) };
}

function countOf(found: number, most: number): Count {
  return { count: Math.min(found, most), isAtLeast: found > most };
}
