import type { KeyMode } from '../accounts/api-key.ts';
import { type Action, type Actor, may } from '../accounts/role.ts';
import type { UserId } from '../id.ts';

/** Somebody who works with products and licenses: with all live ones or with all test ones, never with both. */
export interface Seller {
  readonly actor: Actor;
  readonly mode: KeyMode;
}

/** The products and licenses that lists and searches of a seller are limited to. */
export interface Reachable {
  readonly isLive: boolean;
  /** `undefined` means those of all owners. */
  readonly ownerId: UserId | undefined;
}

/** Returns the products and licenses that the seller may use this right on, or `undefined` if there are none. */
export function reachableBy({ actor, mode }: Seller, action: Action): Reachable | undefined {
  const isLive = mode === 'live';
  if (may(actor, action)) return { isLive, ownerId: undefined };
  if (actor.kind === 'user' && may(actor, action, actor.user.id)) return { isLive, ownerId: actor.user.id };
  return undefined;
}

/** Whether the seller may use this right on a product with this owner and mode, or on its licenses. */
export function reaches(
  { actor, mode }: Seller,
  action: Action,
  { ownerId, isLive }: { readonly ownerId: UserId | null; readonly isLive: boolean },
): boolean {
  return isLive === (mode === 'live') && may(actor, action, ownerId ?? undefined);
}
