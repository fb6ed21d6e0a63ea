import type { UserId } from '../id.ts';
import { type Refused, refuse } from '../refusal.ts';
import { type Action, type Actor, may } from './role.ts';
import type { User } from './user.ts';

/**
 * The rights for each act on the API keys of an account. The actor needs one of them. Whoever makes or rotates a key
 * sees its secret, and could act as the owner. So an administrator can only list and revoke the keys of others.
 */
export const keyRights = {
  list: ['own:manage', 'users:read'],
  make: ['own:manage'],
  rotate: ['own:manage'],
  revoke: ['own:manage', 'users:manage'],
} as const satisfies Record<string, readonly Action[]>;
export type KeyAct = keyof typeof keyRights;

/** Whether the actor may do this with the keys of this account. `undefined` is an account that does not exist. */
export function mayWithKeys(actor: Actor, act: KeyAct, ownerId: UserId | undefined): boolean {
  return keyRights[act].some((action) => may(actor, action, ownerId));
}

/** Refuses what the actor may not do with the keys of this account. */
export function needingForKeys(
  actor: Actor,
  act: KeyAct,
  ownerId: UserId | undefined,
): undefined | Refused<'forbidden'> {
  if (mayWithKeys(actor, act, ownerId)) return undefined;
  return refuse('forbidden', `This needs the right ${keyRights[act].join(' or ')}.`);
}

/** If the actor is the owner, returns the actor with the rights of `owner`, the user as stored now. */
export function asOfOwner(actor: Actor, owner: User): Actor {
  return actor.kind === 'user' && actor.user.id === owner.id ? { ...actor, user: owner } : actor;
}
