import { needing, type Tier } from '../accounts/tier.ts';
import type { Refused } from '../refusal.ts';

/** The mainnets, by chain id. Not every plan deploys to them. */
export const mainnets: ReadonlyMap<number, string> = new Map([
  [1, 'Ethereum'],
  [10, 'OP Mainnet'],
  [137, 'Polygon'],
  [8453, 'Base'],
  [42161, 'Arbitrum One'],
]);

/** Whether a tier may deploy to a chain. Chains that are not known are testnets, and open to all. */
export function mayDeploy(tier: Tier, chainId: number): undefined | Refused<'tier_required'> {
  const mainnet = mainnets.get(chainId);
  if (mainnet === undefined) return undefined;
  return needing('mainnet_deploy', tier, `Deploying to ${mainnet} (chain id ${chainId})`);
}
