import type { By, KeyedRequest } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import type { Account } from '../ports/long-work.ts';
import { type Refused, refuse } from '../refusal.ts';

/** The roles that a user can have. A plain user has none. */
export const roles = ['admin'] as const;
export type Role = (typeof roles)[number];

/** The part of a user that rights depend on. */
interface Person {
  readonly id: UserId;
  readonly email: string;
  readonly role: Role | null;
  readonly suspendedAt: Instant | null;
  readonly sandboxUntil?: Instant | undefined;
}

/** Who acts: the operator, who has a shell on the server's machine, or a person who is known by key or sign-in. */
export type Actor =
  | { readonly kind: 'operator'; readonly by: By }
  | {
      readonly kind: 'user';
      readonly user: Person;
      readonly reason?: string | undefined;
      /** The request with its idempotency key, if it has one. */
      readonly request?: KeyedRequest | undefined;
    };

/** The rank of an actor. It decides their rights. */
export type Rank = 'operator' | Role | 'user' | 'suspended';

/** `own` allows an act only on things that belong to the actor. */
export type Reach = 'all' | 'own' | 'none';

/** Who may do what. This is the only place that decides it. A suspended user may do nothing. */
export const rights = {
  'users:read': { operator: 'all', admin: 'all', user: 'none', suspended: 'none' },
  'users:manage': { operator: 'all', admin: 'all', user: 'none', suspended: 'none' },
  'roles:set': { operator: 'all', admin: 'all', user: 'none', suspended: 'none' },
  /** Sessions of one account. */
  'sessions:end': { operator: 'all', admin: 'all', user: 'own', suspended: 'none' },
  'products:moderate': { operator: 'all', admin: 'all', user: 'none', suspended: 'none' },
  /** Listings, terms, versions and figures of products. */
  'products:manage': { operator: 'all', admin: 'all', user: 'own', suspended: 'none' },
  'templates:manage': { operator: 'all', admin: 'all', user: 'none', suspended: 'none' },
  'purchases:manage': { operator: 'all', admin: 'all', user: 'none', suspended: 'none' },
  /** The owner of a license is the owner of its product. */
  'licenses:manage': { operator: 'all', admin: 'all', user: 'own', suspended: 'none' },
  /** Orders of own products. */
  'orders:manage': { operator: 'all', admin: 'all', user: 'own', suspended: 'none' },
  /** Endpoints that receive events, with their deliveries. */
  'webhooks:manage': { operator: 'all', admin: 'all', user: 'own', suspended: 'none' },
  'audit:read': { operator: 'all', admin: 'all', user: 'none', suspended: 'none' },
  'mails:read': { operator: 'all', admin: 'all', user: 'none', suspended: 'none' },
  'mails:manage': { operator: 'all', admin: 'all', user: 'none', suspended: 'none' },
  /** Settings of the site. */
  'settings:manage': { operator: 'all', admin: 'all', user: 'none', suspended: 'none' },
  'system:read': { operator: 'all', admin: 'all', user: 'none', suspended: 'none' },
  /** Keys, products, files and settings of one account. */
  'own:manage': { operator: 'all', admin: 'own', user: 'own', suspended: 'none' },
} as const satisfies Record<string, Readonly<Record<Rank, Reach>> & { readonly suspended: 'none' }>;
export type Action = keyof typeof rights;

export function rankOf(actor: Actor): Rank {
  if (actor.kind === 'operator') return 'operator';
  const { role, suspendedAt } = actor.user;
  return suspendedAt === null ? (role ?? 'user') : 'suspended';
}

/** Whether the actor may do this. `ownerId` is the owner of the thing, if it has one. */
export function may(actor: Actor, action: Action, ownerId?: UserId): boolean {
  const reach: Reach = rights[action][rankOf(actor)];
  switch (reach) {
    case 'all':
      return true;
    case 'own':
      return actor.kind === 'user' && actor.user.id === ownerId;
    case 'none':
      return false;
  }
}

/** Refuses what the actor may not do. */
export function needing(actor: Actor, action: Action, ownerId?: UserId): undefined | Refused<'forbidden'> {
  return may(actor, action, ownerId) ? undefined : refuse('forbidden', `This needs the right ${action}.`);
}

/**
 * Returns the actor with their current rights. `administrators` are the administrators who are not suspended. An
 * actor who is no longer an administrator becomes a plain user.
 */
export function asOfNow(actor: Actor, administrators: readonly UserId[]): Actor {
  if (actor.kind === 'operator' || administrators.includes(actor.user.id)) return actor;
  return { ...actor, user: { ...actor.user, role: null } };
}

/** Returns the account whose long work this is. */
export function accountOf(actor: Actor): Account {
  return actor.kind === 'operator' ? 'operator' : actor.user.id;
}

/** Returns the facts about the actor that the audit trail stores. */
export function byOf(actor: Actor): By {
  if (actor.kind === 'operator') return actor.by;
  const { user, reason, request } = actor;
  return { actor: user.email, reason, ...(request && { request }) };
}
