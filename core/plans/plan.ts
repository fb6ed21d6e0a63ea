import { type Feature, includedTiers, mayUse, plans, type Tier } from '../accounts/tier.ts';
import { mainnets, mayDeploy } from '../deployments/chains.ts';
import type { StorageAllowance } from '../marketplace/storage-quota.ts';

/** The limits and features of a plan. */
export interface PlanContents {
  readonly tier: Tier;
  /** The calls of the account API that it allows. */
  readonly callsPerMinute: number;
  readonly callsPerDay: number;
  /** The bytes that an account may store. */
  readonly storage: number;
  /** The tiers of the templates that it includes. */
  readonly templates: readonly Tier[];
  /** The names of the mainnets to which it may deploy. Testnets are open to every plan. */
  readonly mainnets: readonly string[];
  /** Whether it may use each feature, such as publishing. */
  readonly features: Readonly<Record<Feature, boolean>>;
}

/** Returns what a plan includes, from the rules that the APIs apply. */
export function contentsOf(tier: Tier, storage: StorageAllowance): PlanContents {
  const [minute, day] = plans[tier].allowances;
  const chains = [...mainnets].filter(([chainId]) => mayDeploy(tier, chainId) === undefined);
  return {
    tier,
    callsPerMinute: minute.limit,
    callsPerDay: day.limit,
    storage: storage[tier],
    templates: includedTiers(tier),
    mainnets: chains.map(([, name]) => name),
    features: {
      mainnet_deploy: mayUse('mainnet_deploy', tier),
      ai_review: mayUse('ai_review', tier),
      marketplace_publish: mayUse('marketplace_publish', tier),
      priority_support: mayUse('priority_support', tier),
    },
  };
}
