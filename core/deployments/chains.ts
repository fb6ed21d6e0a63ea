import { needingFeature, type Tier } from '../accounts/tier.ts';
import type { Refused } from '../refusal.ts';

/** The mainnets, by chain id. Some plans may not deploy to them. */
export const mainnets: ReadonlyMap<number, string> = new Map([
  [1, 'Ethereum'],
  [10, 'OP Mainnet'],
  [137, 'Polygon'],
  [8453, 'Base'],
  [42161, 'Arbitrum One'],
]);

/** Refuses if the tier may not deploy to the chain. Unknown chains count as testnets, which are open to every tier. */
export function mayDeploy(tier: Tier, chainId: number): undefined | Refused<'tier_required'> {
  const mainnet = mainnets.get(chainId);
  if (mainnet === undefined) return undefined;
  return needingFeature('mainnet_deploy', tier, `Deploying to ${mainnet} (chain id ${chainId})`);
}
