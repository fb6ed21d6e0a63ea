import { type Feature, features, type Tier } from '../../../../core/accounts/tier.ts';
import { readableBytes } from '../../../../core/marketplace/storage-quota.ts';
import type { PlanContents } from '../../../../core/plans/plan.ts';
import { planNames } from '../../ui/words.ts';
import { words } from './words.ts';

const { contents } = words;

interface Row {
  readonly text: string;
  readonly isIncluded: boolean;
}

/** Returns the features and limits of the plan as texts, each with whether the plan includes it. */
export function rowsOf(plan: PlanContents, hasLimits: boolean): Row[] {
  const nameOf = (tier: Tier) => planNames[tier];
  const rows: Row[] = [
    {
      text: hasLimits ? contents.calls(plan.callsPerMinute, plan.callsPerDay) : contents.unlimitedCalls,
      isIncluded: true,
    },
    {
      text: plan.storage === 0 ? contents.noStorage : contents.storage(readableBytes(plan.storage)),
      isIncluded: plan.storage > 0,
    },
    { text: contents.templates(plan.templates.map(nameOf)), isIncluded: true },
    { text: contents.testnets, isIncluded: true },
  ];
  const textOf = (feature: Feature) =>
    feature === 'mainnet_deploy' ? contents.features.mainnet_deploy(plan.mainnets) : contents.features[feature];
  const more = (Object.keys(features) as Feature[]).map((one) => ({
    text: textOf(one),
    isIncluded: plan.features[one],
  }));
  return [...rows, ...more];
}

/** Returns what the higher plan includes, and the lower one does not. */
export function moreOf(higher: PlanContents, lower: PlanContents, hasLimits: boolean): string[] {
  const own = new Set(rowsOf(lower, hasLimits).flatMap(({ text, isIncluded }) => (isIncluded ? [text] : [])));
  return rowsOf(higher, hasLimits).flatMap(({ text, isIncluded }) => (isIncluded && !own.has(text) ? [text] : []));
}
