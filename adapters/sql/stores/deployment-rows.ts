import type { DeploymentState } from '../../../core/deployments/deployment-state.ts';
import { toDeploymentId, toProductId, toTemplateId, toUserId } from '../../../core/id.ts';
import type { CheckedDeployment } from '../../../core/ports/deployment-checks.ts';

export interface DeploymentRow {
  readonly id: number;
  readonly user_id: number;
  readonly is_live: number;
  readonly chain: string;
  readonly chain_id: number;
  readonly address: string;
  readonly tx_hash: string;
  readonly template_reference: string | null;
  readonly template_id: number | null;
  readonly at: number;
  readonly state: string;
  /** Empty while nothing can be checked. */
  readonly check_from: number | null;
  readonly checked_at: number | null;
  readonly block: number | null;
  readonly created_at: number | null;
  readonly code_hash: string | null;
  readonly release_product_id: number | null;
  readonly release_version: string | null;
  /** 0: not in the sums yet. 1: counted as reported. 2: also as confirmed. */
  readonly counted: number;
  /** The chain as which it was counted. */
  readonly counted_chain: number | null;
}

export function toDeployment(row: DeploymentRow): CheckedDeployment {
  return {
    id: toDeploymentId(row.id),
    userId: toUserId(row.user_id),
    isLive: row.is_live === 1,
    chain: row.chain,
    chainId: row.chain_id,
    address: row.address,
    txHash: row.tx_hash,
    templateReference: row.template_reference,
    templateId: row.template_id === null ? null : toTemplateId(row.template_id),
    at: row.at,
    state: row.state as DeploymentState,
    checkFrom: row.check_from ?? row.at,
    checkedAt: row.checked_at,
    blockNumber: row.block,
    createdAt: row.created_at,
    codeHash: row.code_hash,
    release:
      row.release_product_id === null || row.release_version === null
        ? null
        : { productId: toProductId(row.release_product_id), version: row.release_version },
  };
}
