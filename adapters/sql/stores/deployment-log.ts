import { toTemplateId } from '../../../core/id.ts';
import type { DeploymentLog } from '../../../core/ports/deployment-log.ts';
import type { Database } from '../database.ts';
import { forgetOldest } from '../in-steps.ts';
import { addWorkFor } from './add-work.ts';
import { uncount } from './deployment-counting.ts';
import type { DeploymentRow } from './deployment-rows.ts';

interface CountRow {
  readonly chain_id: number;
  readonly template_id: number | null;
  readonly count: number;
}

export function createSqlDeploymentLog(database: Database): DeploymentLog {
  const { read, readStale = read, write } = database;
  return {
    add: (deployment, hasRpc) =>
      write(async (trx) => {
        const added: { id: number }[] = await trx('deployments')
          .insert({
            user_id: deployment.userId,
            is_live: Number(deployment.isLive),
            chain: deployment.chain,
            chain_id: deployment.chainId,
            address: deployment.address,
            tx_hash: deployment.txHash,
            template_reference: deployment.templateReference,
            template_id: deployment.templateId,
            at: deployment.at,
            state: hasRpc ? 'unchecked' : 'no_rpc',
            check_from: hasRpc ? deployment.at : null,
          })
          .onConflict()
          .ignore()
          .returning('id');
        if (hasRpc) for (const { id } of added) await addWorkFor(trx, 'deployment', id, deployment.at);
        return added.length > 0;
      }),
    forget: (before) =>
      forgetOldest(database, 'deployments', before, async (trx, ids) => {
        await uncount(trx, await trx<DeploymentRow>('deployments').whereIn('id', ids).orderBy('id').forUpdate());
        return await trx('deployments').whereIn('id', ids).delete();
      }),
    async count({ isLive }) {
      const rows: CountRow[] = await readStale((knex) =>
        knex('deployments')
          .where({ is_live: Number(isLive) })
          .groupBy('chain_id', 'template_id')
          .orderByRaw('count(*) desc, chain_id, template_id')
          .select('chain_id', 'template_id', knex.raw('count(*) as count')),
      );
      return rows.map(({ chain_id, template_id, count }) => ({
        chainId: chain_id,
        templateId: template_id === null ? null : toTemplateId(template_id),
        count: Number(count),
      }));
    },
  };
}
