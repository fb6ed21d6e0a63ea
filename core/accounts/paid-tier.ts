import { includes, type SoldTier, type Tier } from './tier.ts';
import type { User } from './user.ts';

/** Returns the plan that administrators gave, whatever is paid. */
export function assignedTier({ tier, plan }: Pick<User, 'tier' | 'plan'>): Tier {
  return plan?.assigned ?? tier;
}

/** Returns the user after an administrator gave this plan. While a plan is paid, the user has the higher of both. */
export function withAssignedTier(user: User, assigned: Tier): User {
  if (user.plan === undefined) return { ...user, tier: assigned };
  return { ...user, tier: higher(assigned, user.plan.paid), plan: { ...user.plan, assigned } };
}

/** Returns the user for whom this plan is paid now. `null`: none is paid, so what administrators gave counts again. */
export function withPaidTier(user: User, paid: SoldTier | null): User {
  if ((user.plan?.paid ?? null) === paid) return user;
  const assigned = assignedTier(user);
  const { plan: _, ...others } = user;
  if (paid === null) return { ...others, tier: assigned };
  return { ...others, tier: higher(assigned, paid), plan: { paid, assigned } };
}

function higher(one: Tier, other: Tier): Tier {
  return includes(one, other) ? one : other;
}
