import type { Knex } from 'knex';
import { toProductId, toTemplateId, toUserId } from '../../../core/id.ts';
import type { DeploymentFigures, FiguresFilter, Sum, SumsFilter } from '../../../core/ports/deployment-figures.ts';
import { comparableId, type Database } from '../database.ts';
import { givingTurns } from '../in-steps.ts';
import { allTemplates, countSome, noTemplate, otherChains, toCount } from './deployment-counting.ts';
import { sumChains } from './deployment-spans.ts';

interface TallyRow {
  readonly reported: number | string;
  readonly confirmed: number | string;
}

interface DayRow extends TallyRow {
  readonly day: number;
}

interface SumRow extends TallyRow {
  readonly first_at: number;
  readonly last_at: number;
}

export function createSqlDeploymentFigures({ read, readStale = read, write }: Database): DeploymentFigures {
  return {
    async count() {
      // Without this read, each look would take SQLite's write lock.
      const next = await read((knex) => knex('deployments').whereRaw(`(${toCount})`).first('id'));
      if (next === undefined) return 0;
      return await givingTurns(() => write(countSome));
    },

    async byDay(filter) {
      const rows: DayRow[] = await readStale((knex) =>
        knex('deployment_day_sums')
          .whereIn('template_id', templatesIn(filter))
          .where({ is_live: Number(filter.isLive) })
          .where('day', '>=', filter.from)
          .where('day', '<', filter.until)
          .groupBy('day')
          .orderBy('day')
          .select('day', knex.raw('sum(reported) as reported'), knex.raw('sum(confirmed) as confirmed')),
      );
      return rows.map(({ day, ...row }) => ({ day: Number(day), ...tallyOf(row) }));
    },

    async byChain(filter) {
      const rows = await readStale((knex) => sumChains(knex, filter, templatesIn(filter)));
      return rows
        .map(({ chain_id, first_day, last_day, ...row }) => ({
          ...{ chainId: Number(chain_id) === otherChains ? null : Number(chain_id), ...tallyOf(row) },
          ...{ firstDay: Number(first_day), lastDay: Number(last_day) },
        }))
        .sort((one, other) => other.reported - one.reported || (one.chainId ?? 0) - (other.chainId ?? 0));
    },

    async byTemplate(filter) {
      const rows: (SumRow & { template_id: number; title: string | null })[] = await readStale((knex) =>
        largest(knex, filter)
          .where({ user_id: 0, product_id: 0 })
          .leftJoin('templates as t', 't.id', 's.template_id')
          .select('s.*', 't.title'),
      );
      return rows.map(({ template_id, title, ...row }) => ({
        ...{ templateId: template_id === noTemplate ? null : toTemplateId(template_id), title, ...sumOf(row) },
      }));
    },

    async byRelease({ ownerId, ...filter }) {
      const rows: (SumRow & { product_id: number; version: string; title: string })[] = await readStale((knex) =>
        largest(knex, filter)
          .where('product_id', '>', 0)
          .modify((query) => {
            if (ownerId !== undefined) query.where('p.owner_id', comparableId(ownerId));
          })
          .join('products as p', 'p.id', 's.product_id')
          .select('s.*', 'p.title'),
      );
      return rows.map(({ product_id, version, title, ...row }) => ({
        ...{ release: { productId: toProductId(product_id), version }, title, ...sumOf(row) },
      }));
    },

    async byAccount({ templateId, ...filter }) {
      const rows: (SumRow & { user_id: number })[] = await readStale((knex) =>
        largest(knex, filter)
          .where({ 's.template_id': templateId === undefined ? allTemplates : comparableId(templateId) })
          .where('user_id', '>', 0)
          .select('s.*'),
      );
      return rows.map(({ user_id, ...row }) => ({ userId: toUserId(user_id), ...sumOf(row) }));
    },

    async templatesOf({ ownerId, isLive }, limit) {
      const ids: number[] = await readStale((knex) =>
        knex('products')
          .where({ owner_id: comparableId(ownerId), ...(isLive && { is_live: 1 }) })
          .whereNotNull('template_id')
          .groupBy('template_id')
          .orderByRaw('max(id) desc')
          .limit(limit)
          .pluck('template_id'),
      );
      return ids.map(toTemplateId);
    },
  };
}

function templatesIn({ templateIds }: FiguresFilter): number[] {
  return templateIds?.map(comparableId) ?? [allTemplates];
}

/**
 * The largest sums. Those of some templates are read by their key, and no others: the index of the largest of all would lead
 * through those of other sellers.
 */
function largest(knex: Knex, { isLive, templateIds, limit }: SumsFilter): Knex.QueryBuilder {
  const is_live = Number(isLive);
  const own = () =>
    knex('deployment_sums')
      .where({ is_live, user_id: 0 })
      .whereIn('template_id', templateIds?.map(comparableId) ?? []);
  const sums: Knex.QueryBuilder =
    templateIds === undefined
      ? knex('deployment_sums as s').where({ 's.is_live': is_live })
      : knex.withMaterialized('own', own()).from('own as s');
  return sums.orderBy('reported', 'desc').limit(limit);
}

function tallyOf({ reported, confirmed }: TallyRow) {
  return { reported: Number(reported), confirmed: Number(confirmed) };
}

function sumOf({ first_at, last_at, ...row }: SumRow): Sum {
  return { ...tallyOf(row), firstAt: Number(first_at), lastAt: Number(last_at) };
}
