import { explorerPage, knownChains } from '../../core/deployments/chains.ts';
import { iso } from '../../core/iso.ts';
import type { Instant } from '../../core/ports/clock.ts';
import type { CheckedDeployment, WriteDeployments } from '../../core/ports/deployment-checks.ts';
import type { DeploymentGroup, WriteGroups } from '../../core/ports/deployment-figures.ts';
import { sheetWriter } from './sheet.ts';

const time = (at: Instant | null) => (at === null ? '' : iso(at));
const number = (value: number | null) => (value === null ? '' : String(value));

/** The columns of a file of deployments, as in the account API. */
const columns = {
  id: ({ id }) => String(id),
  chain: ({ chain }) => chain,
  chain_id: ({ chainId }) => String(chainId),
  address: ({ address }) => address,
  tx_hash: ({ txHash }) => txHash,
  account: ({ userId }) => String(userId),
  template_id: ({ templateId }) => number(templateId),
  template: ({ templateReference }) => templateReference ?? '',
  version: ({ release }) => release?.version ?? '',
  state: ({ state }) => state,
  reported_at: ({ at }) => iso(at),
  checked_at: ({ checkedAt }) => time(checkedAt),
  block: ({ blockNumber }) => number(blockNumber),
  created_at: ({ createdAt }) => time(createdAt),
  code_hash: ({ codeHash }) => codeHash ?? '',
  explorer_url: ({ chainId, address }) => explorerPage(chainId, 'address', address) ?? '',
} as const satisfies Record<string, (deployment: CheckedDeployment) => string>;

export const writeDeployments: WriteDeployments = sheetWriter(columns);

/** The columns of a file of figures. Those by which it is not grouped are empty. */
const groupColumns = {
  day: ({ day }) => time(day).slice(0, 10),
  chain: ({ chainId }) => (chainId === null ? '' : (knownChains.get(chainId)?.name ?? '')),
  chain_id: ({ chainId }) => number(chainId),
  template_id: ({ templateId }) => number(templateId),
  title: ({ title }) => title ?? '',
  version: ({ version }) => version ?? '',
  account: ({ userId }) => number(userId),
  reported: ({ reported }) => String(reported),
  confirmed: ({ confirmed }) => String(confirmed),
  first_at: ({ firstAt }) => iso(firstAt),
  last_at: ({ lastAt }) => iso(lastAt),
} as const satisfies Record<string, (group: DeploymentGroup) => string>;

export const writeGroups: WriteGroups = sheetWriter(groupColumns);
