import type { Event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { Change } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Role } from './role.ts';
import type { SoldTier, Tier } from './tier.ts';

/** The largest number of characters in the name of a user. */
export const longestName = 200;

/** The rights that administrators give to a seller: to sell if only invited people can, or also to publish without a review. */
export const sellingRights = ['invited', 'trusted'] as const;
export type SellingRight = (typeof sellingRights)[number];

/** An account holder: a buyer, a seller, or both. */
export interface User {
  readonly id: UserId;
  readonly name: string;
  /** In lower case, and unique among users. */
  readonly email: string;
  readonly tier: Tier;
  /** Only while a plan is paid: that plan, and the one that administrators gave. `tier` is the higher of both. */
  readonly plan?: { readonly paid: SoldTier; readonly assigned: Tier };
  readonly createdAt: Instant;
  /** `null` for a plain user. */
  readonly role: Role | null;
  /** `null` if no administrator has decided anything about it. */
  readonly selling: SellingRight | null;
  /** A suspended user may do nothing. `null` if the user is not suspended. */
  readonly suspendedAt: Instant | null;
  /** Only of an account of the sandbox: when it ends. Then it is deleted with all that belongs to it. */
  readonly sandboxUntil?: Instant | undefined;
}

/** Whether this is an account of the sandbox. */
export function isOfSandbox({ sandboxUntil }: Pick<User, 'sandboxUntil'>): boolean {
  return sandboxUntil !== undefined;
}

/** The initial facts of a new user: no role, no right to sell, and no suspension. */
export const plainUser = { role: null, selling: null, suspendedAt: null } as const satisfies Partial<User>;

/** A decision about role or suspension. `administrators` are the administrators who are not suspended. */
export type Decision = (
  user: User,
  administrators: readonly UserId[],
  now: Instant,
  event: Event,
) => Change<User> | Refused<'last_admin'>;

/** Suspending a suspended user changes nothing. The last administrator cannot be suspended. */
export const suspend: Decision = (user, administrators, now, event) => {
  if (user.suspendedAt !== null) return { after: user };
  return isLast(user, administrators) ? lastAdmin(user) : { after: { ...user, suspendedAt: now }, event };
};

/** Reinstating a user who is not suspended changes nothing. */
export const reinstate: Decision = (user, _administrators, _now, event) =>
  user.suspendedAt === null ? { after: user } : { after: { ...user, suspendedAt: null }, event };

/** A user who already has the role stays the same. The last administrator keeps the role. */
export const giveRole =
  (role: Role | null): Decision =>
  (user, administrators, _now, event) => {
    if (user.role === role) return { after: user };
    return role === null && isLast(user, administrators) ? lastAdmin(user) : { after: { ...user, role }, event };
  };

function isLast({ id, role, suspendedAt }: User, administrators: readonly UserId[]): boolean {
  return role === 'admin' && suspendedAt === null && administrators.every((one) => one === id);
}

function lastAdmin({ email }: User): Refused<'last_admin'> {
  return refuse('last_admin', `${email} is the last administrator: make another user an administrator first.`);
}
