import { type Actor, byOf, needing } from '../accounts/role.ts';
import type { UserId } from '../id.ts';
import { type Refused, refuse } from '../refusal.ts';

/** Of which seller something is: `own` is the actor, `site` the operator, who sells the products of the site. */
export type Whose = 'own' | 'site';

/**
 * Returns the seller. `null` is the operator: what belongs to the site needs `settings:manage`. `what` says in a refusal what only people
 * with an account can have.
 */
export function sellerOf(whose: Whose, actor: Actor, what: string): UserId | null | Refused<'forbidden'> {
  if (whose === 'site') return needing(actor, 'settings:manage') ?? null;
  return actor.kind === 'user' ? actor.user.id : refuse('forbidden', `Only somebody with an account can have ${what}.`);
}

/** Returns the subject of events about what a seller has. */
export function subjectOf(seller: UserId | null, actor: Actor): string {
  return seller === null ? 'site' : byOf(actor).actor;
}
