import type { Allowance } from '../ports/rate-limiter.ts';
import { type Refused, refuse } from '../refusal.ts';
import { inSeconds } from '../time.ts';

/** Lowest first. Each tier includes everything that the tiers before it include. */
export const tierNames = ['free', 'pro', 'enterprise'] as const;
export type Tier = (typeof tierNames)[number];
/** A plan that can be sold. Everybody has the free one. */
export type SoldTier = Exclude<Tier, 'free'>;

/** The rate limits of the account API for each plan. The storage limits are settings. */
export const plans = {
  free: {
    allowances: [
      { limit: 30, seconds: inSeconds.minute },
      { limit: 1_000, seconds: inSeconds.day },
    ],
  },
  pro: {
    allowances: [
      { limit: 120, seconds: inSeconds.minute },
      { limit: 50_000, seconds: inSeconds.day },
    ],
  },
  enterprise: {
    allowances: [
      { limit: 600, seconds: inSeconds.minute },
      { limit: 500_000, seconds: inSeconds.day },
    ],
  },
} as const satisfies Record<Tier, { readonly allowances: readonly [minute: Allowance, day: Allowance] }>;

/**
 * The features of the plans. `needs` is the lowest tier that may use the feature. `listedFrom` is the lowest tier
 * whose accounts show the feature in their list of features. Publishing is listed for pro and higher, but every tier
 * may publish.
 */
export const features = {
  mainnet_deploy: { needs: 'pro', listedFrom: 'pro' },
  ai_review: { needs: 'pro', listedFrom: 'pro' },
  marketplace_publish: { needs: 'free', listedFrom: 'pro' },
  priority_support: { needs: 'enterprise', listedFrom: 'enterprise' },
} as const satisfies Record<string, { readonly needs: Tier; readonly listedFrom: Tier }>;
export type Feature = keyof typeof features;

type NeedOf<F extends Feature> = (typeof features)[F]['needs'];
/**
 * Features that every plan has. If such a feature later needs a higher tier, its callers do not compile until they
 * handle the refusal.
 */
type OpenFeature = { [F in Feature]: NeedOf<F> extends (typeof tierNames)[0] ? F : never }[Feature];

/** Refuses a feature that the plan does not have. `what` is the subject of the message, such as `Publishing`. */
export function needingFeature(feature: OpenFeature, tier: Tier, what: string): undefined;
export function needingFeature(feature: Feature, tier: Tier, what: string): undefined | Refused<'tier_required'>;
export function needingFeature(feature: Feature, tier: Tier, what: string): undefined | Refused<'tier_required'> {
  const { needs } = features[feature];
  return mayUse(feature, tier) ? undefined : refuse('tier_required', `${what} requires the ${needs} plan.`);
}

/** Whether the plan has the feature. */
export function mayUse(feature: Feature, tier: Tier): boolean {
  return includes(tier, features[feature].needs);
}

/** Returns the features to show for an account of this tier. */
export function listedFeatures(tier: Tier): string[] {
  return Object.entries(features).flatMap(([name, { listedFrom }]) => (includes(tier, listedFrom) ? [name] : []));
}

/** Whether `tier` is at least as high as `needed`. */
export function includes(tier: Tier, needed: Tier): boolean {
  return tierNames.indexOf(tier) >= tierNames.indexOf(needed);
}

/** Returns this tier and all lower ones. */
export function includedTiers(tier: Tier): Tier[] {
  return tierNames.filter((needed) => includes(tier, needed));
}
