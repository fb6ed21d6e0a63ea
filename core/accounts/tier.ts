import type { Allowance } from '../ports/rate-limiter.ts';
import { type Refused, refuse } from '../refusal.ts';

/** Lowest first: each includes all that those before it include. */
export const tierNames = ['free', 'pro', 'enterprise'] as const;
export type Tier = (typeof tierNames)[number];

const minute = 60;
const day = 86_400;

/** What a plan has: calls of the account API, in a minute and in a day. How many bytes of files it may keep is a setting. */
export const plans = {
  free: {
    allowances: [
      { limit: 30, seconds: minute },
      { limit: 1_000, seconds: day },
    ],
  },
  pro: {
    allowances: [
      { limit: 120, seconds: minute },
      { limit: 50_000, seconds: day },
    ],
  },
  enterprise: {
    allowances: [
      { limit: 600, seconds: minute },
      { limit: 500_000, seconds: day },
    ],
  },
} as const satisfies Record<Tier, { readonly allowances: readonly [minute: Allowance, day: Allowance] }>;

/**
 * What may be done on which plan. `needs`: the lowest tier that may. `listedFrom`: the lowest tier whose account shows the flag.
 * The spec shows the flag of publishing from pro on, but has no rule that keeps anybody from it.
 */
export const features = {
  mainnet_deploy: { needs: 'pro', listedFrom: 'pro' },
  ai_review: { needs: 'pro', listedFrom: 'pro' },
  marketplace_publish: { needs: 'free', listedFrom: 'pro' },
  priority_support: { needs: 'enterprise', listedFrom: 'enterprise' },
} as const satisfies Record<string, { readonly needs: Tier; readonly listedFrom: Tier }>;
export type Feature = keyof typeof features;

type NeedOf<F extends Feature> = (typeof features)[F]['needs'];
/** What every plan has: nobody is refused it, which the compiler knows. If its row changes, its callers must tell of a refusal. */
type OpenFeature = { [F in Feature]: NeedOf<F> extends (typeof tierNames)[0] ? F : never }[Feature];

/** Refuses what the tier's plan does not have. `what` begins the sentence that says so. */
export function needing(feature: OpenFeature, tier: Tier, what: string): undefined;
export function needing(feature: Feature, tier: Tier, what: string): undefined | Refused<'tier_required'>;
export function needing(feature: Feature, tier: Tier, what: string): undefined | Refused<'tier_required'> {
  const { needs } = features[feature];
  return includes(tier, needs) ? undefined : refuse('tier_required', `${what} requires the ${needs} plan.`);
}

/** The flags that an account of the tier shows. */
export function listedFeatures(tier: Tier): string[] {
  return Object.entries(features).flatMap(([name, { listedFrom }]) => (includes(tier, listedFrom) ? [name] : []));
}

/** Whether a caller of the one tier is shown what needs the other. */
export function includes(tier: Tier, needed: Tier): boolean {
  return tierNames.indexOf(tier) >= tierNames.indexOf(needed);
}

/** The tiers whose things a caller of this tier is shown. */
export function includedTiers(tier: Tier): Tier[] {
  return tierNames.filter((needed) => includes(tier, needed));
}
