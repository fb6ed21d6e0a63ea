import type { Knex } from 'knex';
import { type TemplateId, toDeploymentId } from '../../../core/id.ts';
import type { DeploymentChecks, DeploymentFilter } from '../../../core/ports/deployment-checks.ts';
import { comparableId } from '../database.ts';
import { type DeploymentRow, toDeployment } from './deployment-rows.ts';

/** How many deployments one page looks at, if those with a chain, template or state are wanted. */
const mostLooked = 2_000;

const newestFirst: { column: string; order: 'desc' }[] = [
  { column: 'at', order: 'desc' },
  { column: 'id', order: 'desc' },
];

/**
 * Each list reads an index in its order: of an account, of a template, of both, of a chain, or of all. What no index knows is looked
 * for among the next deployments only.
 */
export async function listDeployments(knex: Knex, filter: DeploymentFilter): ReturnType<DeploymentChecks['list']> {
  const { userId, chainId, templateIds, state, limit } = filter;
  if (templateIds?.length === 0) return { items: [], next: undefined };
  const isOfChain = userId === undefined && templateIds === undefined && chainId !== undefined;
  const own = { ...(userId !== undefined && { user_id: userId }), ...(isOfChain && { chain_id: chainId }) };
  const wanted = {
    ...(chainId !== undefined && !isOfChain && { chain_id: chainId }),
    ...(state !== undefined && { state }),
  };
  const isNarrowed = Object.keys(wanted).length > 0;
  const of = templateIds ?? [undefined];
  const most = isNarrowed ? Math.max(limit + 1, Math.ceil(mostLooked / of.length)) : limit + 1;

  /** What the filters read: without them, the index is enough. */
  const read = ['id', 'at', ...Object.keys(wanted)];
  const ordered = (templateId: TemplateId | undefined) =>
    inOrder(knex, filter)
      .select(read)
      .where({ ...own, ...(templateId !== undefined && { template_id: comparableId(templateId) }) })
      .limit(most);
  const looked = () =>
    of.length === 1
      ? ordered(of[0])
      : knex
          .from(allOf(knex, of.map(ordered)))
          .orderBy(newestFirst)
          .limit(most);
  const ids: number[] = await knex
    .from(looked().as('looked'))
    .where(wanted)
    .orderBy(newestFirst)
    .limit(limit + 1)
    .pluck('id');
  const rows = ids.length === 0 ? [] : await knex<DeploymentRow>('deployments').whereIn('id', ids).orderBy(newestFirst);
  const items = rows.slice(0, limit).map(toDeployment);
  const last = items.at(-1);
  if (rows.length > limit) return { items, next: last && { at: last.at, id: last.id } };
  if (!isNarrowed) return { items, next: undefined };
  const end: Pick<DeploymentRow, 'at' | 'id'> | undefined = await knex
    .select('at', 'id')
    .from(looked().as('looked'))
    .orderBy(newestFirst)
    .offset(most - 1)
    .first();
  return { items, next: end && { at: Number(end.at), id: toDeploymentId(end.id) } };
}

/** The rows of several queries. Written as a text, because a builder of so many takes longer than their answer. */
function allOf(knex: Knex, queries: readonly Knex.QueryBuilder[]): Knex.Raw {
  const parts = queries.map((query) => query.toSQL());
  const sql = parts.map((part) => `select * from (${part.sql}) as one`).join(' union all ');
  return knex.raw(
    `(${sql}) as some_templates`,
    parts.flatMap(({ bindings }) => bindings),
  );
}

function inOrder(knex: Knex, { isLive, txHashes, from, until, after }: DeploymentFilter): Knex.QueryBuilder {
  return knex('deployments')
    .where({ is_live: Number(isLive) })
    .modify((query) => {
      if (txHashes !== undefined) query.whereIn('tx_hash', [...txHashes]);
      if (from !== undefined) query.where('at', '>=', from);
      if (until !== undefined) query.where('at', '<', until);
      if (after !== undefined) query.whereRaw('(at, id) < (?, ?)', [after.at, comparableId(after.id)]);
    })
    .orderBy(newestFirst);
}
