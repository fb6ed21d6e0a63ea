import type { Knex } from 'knex';
import type { Figures, UsageFigures } from '../../../core/ports/usage-figures.ts';
import { beforeAll, type UsageRange } from '../../../core/selling/usage-hours.ts';
import { comparableId, type Database } from '../database.ts';

interface FigureRow {
  readonly at: number;
  readonly verifications: number;
  readonly domains: number;
}

/** Reads the figures that snapshots have stored. */
export function createSqlUsageFigures({ read, readStale = read }: Database): UsageFigures {
  /** `rows` makes a query of all rows of one product or license. */
  const figuresOf = (
    { from, to }: Pick<UsageRange, 'from' | 'to'>,
    rows: (knex: Knex) => Knex.QueryBuilder,
  ): Promise<Figures> =>
    readStale(async (knex) => {
      const columns = ['at', 'verifications', 'domains'] as const;
      const first = Math.max(from, beforeAll + 1);
      const found: FigureRow[] = await rows(knex)
        .where('at', '>=', first)
        .andWhere('at', '<', to)
        .orderBy('at')
        .select(...columns);
      const [last]: FigureRow[] = await rows(knex)
        .where('at', '<', first)
        .orderBy('at', 'desc')
        .limit(1)
        .select(...columns);
      return {
        rows: found.map(({ at, verifications, domains }) => ({ at, verifications, activeDomains: domains })),
        domainsBefore: last?.domains ?? 0,
      };
    });

  return {
    ofOwner: ({ ownerId, isLive }, { from, to }) =>
      readStale(async (knex) => {
        const first = Math.max(from, beforeAll + 1);
        // One row for each day, and one for all days before the range.
        const rows: FigureRow[] = await knex('owner_usage')
          .where({ owner_id: comparableId(ownerId), is_live: Number(isLive) })
          .andWhere('at', '<', to)
          .groupByRaw('1')
          .orderByRaw('1')
          .select(
            knex.raw('CASE WHEN at < CAST(? AS bigint) THEN -1 ELSE at END AS at', [first]),
            knex.raw('CAST(sum(verifications) AS bigint) AS verifications'),
            knex.raw('CAST(sum(domains) AS bigint) AS domains'),
          );
        let activeDomains = rows[0]?.at === -1 ? rows[0].domains : 0;
        const domainsBefore = activeDomains;
        const days = rows
          .filter(({ at }) => at !== -1)
          .map(({ at, verifications, domains }) => {
            activeDomains += domains;
            return { at, verifications, activeDomains };
          });
        return { rows: days, domainsBefore };
      }),
    ofProduct: (id, range) => figuresOf(range, (knex) => knex('product_usage').where({ product_id: comparableId(id) })),
    ofLicense: (key, range) =>
      figuresOf(range, (knex) =>
        knex('license_usage').where('license_id', knex('licenses').where({ key }).select('id')),
      ),
  };
}
