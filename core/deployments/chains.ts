import { includes, type Tier } from '../accounts/tier.ts';
import { type Refused, refuse } from '../refusal.ts';

/** The mainnets that a free plan does not deploy to, by chain id. */
export const mainnets: ReadonlyMap<number, string> = new Map([
  [1, 'Ethereum'],
  [10, 'OP Mainnet'],
  [137, 'Polygon'],
  [8453, 'Base'],
  [42161, 'Arbitrum One'],
]);

/** The tier that deploying to a mainnet takes. */
export const mainnetTier = 'pro' satisfies Tier;

/** Whether a tier may deploy to a chain. Chains that are not known are testnets, and open to all. */
export function mayDeploy(tier: Tier, chainId: number): undefined | Refused<'tier_required'> {
  const mainnet = mainnets.get(chainId);
  if (mainnet === undefined || includes(tier, mainnetTier)) return undefined;
  return refuse('tier_required', `Deploying to ${mainnet} (chain id ${chainId}) requires the ${mainnetTier} plan.`);
}
