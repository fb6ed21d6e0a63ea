import type { Knex } from 'knex';
import type { Settled } from '../../../core/work/work.ts';
import type { DeploymentRow } from './deployment-rows.ts';

/** A check that has failed for good leaves a deployment whose chain has no RPC that answers. It is tried anew later. */
export async function recordLostChecks(trx: Knex.Transaction, settled: readonly Settled[]): Promise<void> {
  const lost = settled.filter(({ outcome }) => outcome.kind === 'failed').map(({ work }) => work.subjectId);
  if (lost.length === 0) return;
  await trx<DeploymentRow>('deployments').whereIn('id', lost).where({ state: 'unchecked' }).update({ state: 'no_rpc' });
}
