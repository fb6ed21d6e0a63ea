import type { Knex } from 'knex';
import type { DaysFilter } from '../../../core/ports/deployment-figures.ts';
import { day } from '../../../core/time.ts';

/** The length of a span in `deployment_spans`. The triggers of the migration `0092-deployment-spans` have it too. */
const spanLength = 16 * day;

/** The sums of some days or spans, and the first and last day with a deployment. */
interface SpanRow {
  readonly chain_id: number | string;
  readonly first_day: number;
  readonly last_day: number;
  readonly reported: number | string;
  readonly confirmed: number | string;
}

/**
 * Sums each chain in a range of days: the spans that lie in it as a whole, and the days before and after them. So it reads a
 * part of what its days are.
 */
export async function sumChains(
  knex: Knex,
  { isLive, from, until }: Pick<DaysFilter, 'isLive' | 'from' | 'until'>,
  templates: readonly number[],
): Promise<SpanRow[]> {
  const firstSpan = Math.ceil(from / spanLength) * spanLength;
  const endOfSpans = Math.max(firstSpan, Math.floor(until / spanLength) * spanLength);
  const of = (table: string) =>
    knex(table)
      .whereIn('template_id', templates)
      .where({ is_live: Number(isLive) });
  const days = (start: number, end: number) =>
    of('deployment_days')
      .where('day', '>=', start)
      .where('day', '<', end)
      .select('chain_id', { first_day: 'day', last_day: 'day' }, 'reported', 'confirmed');
  const spans = of('deployment_spans')
    .where('start', '>=', firstSpan)
    .where('start', '<', endOfSpans)
    .select('chain_id', 'first_day', 'last_day', 'reported', 'confirmed');
  const parts = [spans, days(from, Math.min(firstSpan, until)), days(Math.max(endOfSpans, from), until)];
  return await knex
    .from(knex.unionAll(parts).as('parts'))
    .groupBy('chain_id')
    .select('chain_id', knex.raw('sum(reported) as reported'), knex.raw('sum(confirmed) as confirmed'))
    .min({ first_day: 'first_day' })
    .max({ last_day: 'last_day' });
}
