import type { VNode } from 'preact';
import { type Feature, features, type Tier } from '../../../../core/accounts/tier.ts';
import type { Usage } from '../../../../core/accounts/usage.ts';
import { readableBytes } from '../../../../core/marketplace/storage-quota.ts';
import type { PlanContents } from '../../../../core/plans/plan.ts';
import { Meter } from '../../ui/meter.tsx';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';

const { contents: words, use, names, included, notIncluded, planTitle } = texts.plan;

interface Row {
  readonly text: string;
  readonly isIncluded: boolean;
}

/** Returns the features and limits of the plan as texts, each with whether the plan includes it. */
function rowsOf(plan: PlanContents, hasLimits: boolean): Row[] {
  const nameOf = (tier: Tier) => names[tier];
  const rows: Row[] = [
    {
      text: hasLimits ? words.calls(plan.callsPerMinute, plan.callsPerDay) : words.unlimitedCalls,
      isIncluded: true,
    },
    {
      text: plan.storage === 0 ? words.noStorage : words.storage(readableBytes(plan.storage)),
      isIncluded: plan.storage > 0,
    },
    { text: words.templates(plan.templates.map(nameOf)), isIncluded: true },
    { text: words.testnets, isIncluded: true },
  ];
  const textOf = (feature: Feature) =>
    feature === 'mainnet_deploy' ? words.features.mainnet_deploy(plan.mainnets) : words.features[feature];
  const more = (Object.keys(features) as Feature[]).map((one) => ({
    text: textOf(one),
    isIncluded: plan.features[one],
  }));
  return [...rows, ...more];
}

/** The plan, what it includes, and how much of it is used. */
export function PlanPanel({
  plan,
  usage: { minute, day },
  stored,
}: {
  readonly plan: PlanContents;
  readonly usage: Usage;
  /** Bytes. */
  readonly stored: number;
}): VNode {
  const [used, allowed] = [readableBytes(stored), readableBytes(plan.storage)];
  return (
    <section class="panel plan">
      <h2>{planTitle(names[plan.tier])}</h2>
      <ul class="contents" aria-label={words.label}>
        {rowsOf(plan, minute !== undefined).map(({ text, isIncluded }) => (
          <li key={text} class={isIncluded ? undefined : 'missing'}>
            <span class="unseen">{isIncluded ? included : notIncluded} </span>
            {text}
          </li>
        ))}
      </ul>
      <div class="meters">
        {minute && (
          <Meter id="minute" label={use.minute} used={minute.used} most={minute.limit}>
            {use.inMinute(minute.used, minute.limit)}
          </Meter>
        )}
        {day && (
          <Meter id="day" label={use.day} used={day.used} most={day.limit}>
            {use.inDay(day.used, day.limit)}
            {day.used > 0 && (
              <>
                {'. '}
                {use.dayEnds} <Time at={day.resetAt} />
              </>
            )}
          </Meter>
        )}
        <Meter id="storage" label={use.storage} used={stored} most={plan.storage}>
          {plan.storage === 0 ? use.nothingStored(used) : use.stored(used, allowed)}
        </Meter>
      </div>
      {minute === undefined && <p class="faint">{use.unlimited}</p>}
    </section>
  );
}
