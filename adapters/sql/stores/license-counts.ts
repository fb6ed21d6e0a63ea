import { type Count, type LicenseCounts, mostCounted } from '../../../core/ports/license-counts.ts';
import type { OwnedProducts } from '../../../core/ports/usage-figures.ts';
import { steps } from '../../../core/selling/usage-hours.ts';
import { comparableId, type Database, isPostgres } from '../database.ts';
import { inRange } from '../index-range.ts';

/** Each count reads one range of the index `licenses_counted_of_owner`, and at most one row more than `mostCounted` says. */
export function createSqlLicenseCounts({
  read,
  readStale = read,
}: Pick<Database, 'read' | 'readStale'>): LicenseCounts {
  return {
    active: (owner, now) =>
      readStale(async (knex) => {
        const most = mostCounted.active;
        // From the middle of the owner's rows: towards the end are the live ones, towards the start those for tests.
        const range = owner.isLive
          ? ({ from: { created_at: 0 }, direction: 'asc' } as const)
          : ({ from: { created_at: Number.MAX_SAFE_INTEGER }, direction: 'desc' } as const);
        const looked = inRange(
          knex,
          knex('licenses as l').select('l.is_live', 'l.standing', 'l.expires_at'),
          { ...range, table: 'l', within: ownedBy(owner), isAfter: false },
          most + 1,
        );
        const row = await knex
          .from(looked.as('looked'))
          .where({ is_live: Number(owner.isLive) })
          .first(
            knex.raw('count(*) AS looked'),
            knex.raw(
              "coalesce(sum(CASE WHEN standing = 'active' AND (expires_at IS NULL OR expires_at > ?) THEN 1 ELSE 0 END), 0) AS active",
              [now],
            ),
          );
        return { count: Math.min(Number(row?.active), most), isAtLeast: Number(row?.looked) > most };
      }),

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

function ownedBy({ ownerId, isLive }: OwnedProducts) {
  return { owner_id: comparableId(ownerId), is_live: Number(isLive) };
}

function countOf(found: number, most: number): Count {
  return { count: Math.min(found, most), isAtLeast: found > most };
}
