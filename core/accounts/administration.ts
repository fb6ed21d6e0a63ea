import { type EventType, event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { AccountStore, UserFilter } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import { isRefused, type Refused } from '../refusal.ts';
import type { Accounts } from './accounts.ts';
import { type Action, type Actor, asOfNow, byOf, needing, type Role } from './role.ts';
import { type Decision, giveRole, reinstate, suspend, type User } from './user.ts';

/** Which users to list. */
export interface UserQuery extends Omit<UserFilter, 'after'> {
  /** The last user of the previous page. */
  readonly after?: UserId | undefined;
}

/** One page of users. */
export interface UserPage {
  readonly users: readonly User[];
  /** The `after` of the next page, or `null` if this is the last one. */
  readonly next: UserId | null;
}

type Unchanged = 'forbidden' | 'user_not_found' | 'last_admin';

/**
 * Management of account holders. Each use case refuses an actor who has no right to it, before it tells whether the
 * user exists. Users are named by id in digits or by e-mail address.
 */
export interface UserAdministration {
  /** Lists users in the order of `AccountStore.list`. */
  list(query: UserQuery, actor: Actor): Promise<UserPage | Refused<'forbidden' | 'user_not_found'>>;
  show(idOrEmail: string, actor: Actor): Promise<User | Refused<'forbidden' | 'user_not_found'>>;
  /** From now on, the user's API keys are refused. The last administrator cannot be suspended. */
  suspend(idOrEmail: string, actor: Actor): Promise<User | Refused<Unchanged>>;
  /** The user's API keys work again. */
  reinstate(idOrEmail: string, actor: Actor): Promise<User | Refused<Unchanged>>;
  /** `null` takes the role away. The last administrator keeps the role. */
  setRole(idOrEmail: string, role: Role | null, actor: Actor): Promise<User | Refused<Unchanged>>;
}

export function createUserAdministration(
  store: AccountStore,
  { find }: Pick<Accounts, 'find'>,
  clock: Clock,
): UserAdministration {
  async function findFor(actor: Actor, action: Action, idOrEmail: string) {
    return needing(actor, action) ?? (await find(idOrEmail));
  }

  async function change(
    idOrEmail: string,
    actor: Actor,
    action: Action,
    decide: Decision,
    type: EventType,
    data: { readonly role?: string | null } = {},
  ): Promise<User | Refused<Unchanged>> {
    const user = await findFor(actor, action, idOrEmail);
    if (isRefused(user)) return user;
    const changed = await store.changeRights(user.id, (before, administrators) => {
      const now = clock.now();
      return (
        needing(asOfNow(actor, administrators), action) ??
        decide(before, administrators, now, event(type, before.email, byOf(actor), now, data))
      );
    });
    return changed ?? (await find(String(user.id)));
  }

  return {
    show: (idOrEmail, actor) => findFor(actor, 'users:read', idOrEmail),

    async list({ search, tier, role, after, limit }, actor) {
      const refused = needing(actor, 'users:read');
      if (refused) return refused;
      const last = after === undefined ? undefined : await find(String(after));
      if (isRefused(last)) return last;
      const found = await store.list({ search, tier, role, after: last, limit: limit + 1 });
      const users = found.slice(0, limit);
      return { users, next: found.length > limit ? (users.at(-1)?.id ?? null) : null };
    },

    suspend: (idOrEmail, actor) => change(idOrEmail, actor, 'users:manage', suspend, 'user.suspended'),
    reinstate: (idOrEmail, actor) => change(idOrEmail, actor, 'users:manage', reinstate, 'user.reinstated'),
    setRole: (idOrEmail, role, actor) =>
      change(idOrEmail, actor, 'roles:set', giveRole(role), 'user.role_set', { role }),
  };
}
