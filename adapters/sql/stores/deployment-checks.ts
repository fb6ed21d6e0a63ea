import type { Knex } from 'knex';
import { toProductId } from '../../../core/id.ts';
import type { DeploymentChecks, KnownCodes } from '../../../core/ports/deployment-checks.ts';
import { type Database, isRowId } from '../database.ts';
import { addWorkFor } from './add-work.ts';
import { listDeployments } from './deployment-list.ts';
import { type DeploymentRow, toDeployment } from './deployment-rows.ts';
import { findRow } from './find-row.ts';

/** How many checks one transaction resumes. */
const atOnce = 200;

export function createSqlDeploymentChecks({ read, readStale = read, write }: Database): DeploymentChecks {
  return {
    find: findRow<ReturnType<typeof toDeployment>, DeploymentRow>(read, 'deployments', toDeployment).findById,

    list: (filter) => readStale((knex) => listDeployments(knex, filter)),

    record: (id, { blockNumber, createdAt, codeHash }, judge, at) =>
      write(async (trx) => {
        const row = isRowId(id) ? await trx<DeploymentRow>('deployments').where({ id }).forUpdate().first() : undefined;
        if (row?.state !== 'unchecked') return;
        const codes = await knownCodes(trx, row, codeHash);
        const state = judge(codes);
        const release = state === 'confirmed' ? codes.release : undefined;
        await trx<DeploymentRow>('deployments')
          .where({ id })
          .update({
            state,
            checked_at: at,
            block: blockNumber,
            created_at: createdAt,
            code_hash: codeHash,
            release_product_id: release?.productId ?? null,
            release_version: release?.version ?? null,
          });
      }),

    async resume(chainIds, now) {
      const waiting = (knex: Knex) =>
        knex<DeploymentRow>('deployments')
          .where({ state: 'no_rpc' })
          .whereIn('chain_id', [...chainIds])
          .orderBy('id')
          .limit(atOnce);
      // Those that were resumed before, and are not done yet.
      const due = await read((knex) =>
        knex('work').where({ kind: 'deployment' }).where('due', '<=', now).limit(atOnce).select('id'),
      );
      // Without the second read, each look would take SQLite's write lock.
      if (due.length >= atOnce || (await read((knex) => waiting(knex).first('id'))) === undefined) return 0;
      return await write(async (trx) => {
        const ids = await waiting(trx).forUpdate().pluck('id');
        // Nobody else may have resumed them since: Postgres has read their state before it waited.
        const resumed = await trx<DeploymentRow>('deployments')
          .whereIn('id', ids)
          .where({ state: 'no_rpc' })
          .update({ state: 'unchecked', check_from: now })
          .returning('id');
        for (const { id } of resumed) await addWorkFor(trx, 'deployment', id, now);
        return resumed.length;
      });
    },
  };
}

/** Holds the template, so that no code is confirmed meanwhile that is not seen here. */
export async function holdTemplate(trx: Knex.Transaction, id: number): Promise<void> {
  await trx('templates').where({ id }).forNoKeyUpdate().first('id');
}

async function knownCodes(
  trx: Knex.Transaction,
  { template_id, is_live }: DeploymentRow,
  hash: string | null,
): Promise<KnownCodes> {
  if (template_id === null || hash === null) return { any: false, release: undefined };
  await holdTemplate(trx, template_id);
  const codes = () =>
    trx('release_codes as c')
      .join('products as p', 'p.id', 'c.product_id')
      .where({ 'p.template_id': template_id, 'p.is_live': is_live });
  const same: { product_id: number; version: string } | undefined = await codes()
    .where('c.hash', hash)
    .orderBy('c.id', 'desc')
    .first('c.product_id', 'c.version');
  if (same) return { any: true, release: { productId: toProductId(same.product_id), version: same.version } };
  return { any: (await codes().first('c.id')) !== undefined, release: undefined };
}
