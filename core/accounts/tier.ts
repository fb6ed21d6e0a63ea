import type { Allowance } from '../ports/rate-limiter.ts';

export const tierNames = ['free', 'pro', 'enterprise'] as const;
export type Tier = (typeof tierNames)[number];

/** What a plan holds. */
interface Plan {
  /** A plan includes all that is of its rank or below. */
  readonly rank: number;
  readonly features: readonly string[];
  /** Calls of the account API, in a minute and in a day. */
  readonly allowances: readonly [minute: Allowance, day: Allowance];
}

const minute = 60;
const day = 86_400;

export const plans = {
  free: {
    rank: 0,
    features: [],
    allowances: [
      { limit: 30, seconds: minute },
      { limit: 1_000, seconds: day },
    ],
  },
  pro: {
    rank: 1,
    features: ['mainnet_deploy', 'ai_review', 'marketplace_publish'],
    allowances: [
      { limit: 120, seconds: minute },
      { limit: 50_000, seconds: day },
    ],
  },
  enterprise: {
    rank: 2,
    features: ['mainnet_deploy', 'ai_review', 'marketplace_publish', 'priority_support'],
    allowances: [
      { limit: 600, seconds: minute },
      { limit: 500_000, seconds: day },
    ],
  },
} as const satisfies Record<Tier, Plan>;

/** Whether a caller of the one tier is shown what needs the other. */
export function includes(tier: Tier, needed: Tier): boolean {
  return plans[tier].rank >= plans[needed].rank;
}

/** The tiers whose things a caller of this tier is shown. */
export function includedTiers(tier: Tier): Tier[] {
  return tierNames.filter((needed) => includes(tier, needed));
}
