import type { VNode } from 'preact';
import { includes } from '../../../../core/accounts/tier.ts';
import type { User } from '../../../../core/accounts/user.ts';
import type { PlanContents } from '../../../../core/plans/plan.ts';
import type { PlanForSale } from '../../../../core/plans/sold-plans.ts';
import type { PaidPlan } from '../../../../core/ports/paid-plans.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { shownPrice } from '../../ui/prices.ts';
import { Time } from '../../ui/time.tsx';
import { planNames } from '../../ui/words.ts';
import { moreOf } from './plan-rows.ts';
import { words } from './words.ts';

const { sold } = words;

/** Which plan is paid, until when, and where it is renewed. */
export function PaidPart({
  user,
  paid: { tier, expiresAt, token },
  root,
}: {
  readonly user: User;
  readonly paid: PaidPlan;
  readonly root: string;
}): VNode {
  return (
    <p class="lead">
      {sold.paid(planNames[tier])}
      {expiresAt !== null && (
        <>
          {' '}
          {sold.until} <Time at={expiresAt} />
        </>
      )}
      . {!includes(user.tier, tier) && `${sold.soon} `}
      <a href={`${root}orders/${token}`}>{expiresAt === null ? sold.order : sold.renew}</a>
    </p>
  );
}

/** The higher plans that are sold: what each costs, what it includes more, and the way to buy it. */
export function UpgradePart({
  own,
  above,
  hasLimits,
  root,
}: {
  readonly own: PlanContents;
  readonly above: readonly (PlanForSale & { readonly plan: PlanContents })[];
  /** Whether this site limits the calls of the API. */
  readonly hasLimits: boolean;
  readonly root: string;
}): VNode | null {
  if (above.length === 0) return null;
  return (
    <section aria-label={sold.title}>
      <PartHead title={sold.title} lead={sold.soon} />
      <ul class="rows panel">
        {above.map(({ tier, plan, product }) => (
          <li key={tier} class="row">
            <div class="about">
              <h3>
                {words.planTitle(planNames[tier])} <span class="tag">{shownPrice(product)}</span>
              </h3>
              <ul class="contents added" aria-label={sold.more(planNames[tier])}>
                {moreOf(plan, own, hasLimits).map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </div>
            <ButtonLink
              href={`${root}marketplace/${product.slug}`}
              text={sold.upgrade}
              about={sold.to(planNames[tier])}
              look="primary"
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
