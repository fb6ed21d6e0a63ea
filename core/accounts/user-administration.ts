import { type EventType, event } from '../events/event.ts';
import { toUserId } from '../id.ts';
import { formatPlace, parsePlace } from '../place.ts';
import type { AccountStore, UserFilter } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { UserDetails, UserDetailsReader } from '../ports/user-details.ts';
import { isRefused, type Refused } from '../refusal.ts';
import type { Accounts } from './accounts.ts';
import { type Action, type Actor, asOfNow, byOf, needing, type Role } from './role.ts';
import { type Decision, giveRole, reinstate, suspend, type User } from './user.ts';

/** Which users to list. */
export interface UserQuery extends Omit<UserFilter, 'after'> {
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
}

/** One page of users. */
export interface UserPage {
  readonly users: readonly User[];
  /** The `after` of the next page, or `null` if this is the last one. Needs no escaping in a URL. */
  readonly next: string | null;
}

/** A user with the state of the account. */
export interface DetailedUser extends UserDetails {
  readonly user: User;
}

type Unchanged = 'forbidden' | 'user_not_found' | 'last_admin';

/**
 * Management of account holders. Each use case checks the right of the actor first, so that nobody without it learns
 * whether a user exists. `idOrEmail` is an id in digits, or an e-mail address.
 */
export interface UserAdministration {
  /** Lists users in the order of `AccountStore.list`. */
  list(query: UserQuery, actor: Actor): Promise<UserPage | Refused<'forbidden' | 'unknown_place'>>;
  show(idOrEmail: string, actor: Actor): Promise<User | Refused<'forbidden' | 'user_not_found'>>;
  detail(idOrEmail: string, actor: Actor): Promise<DetailedUser | Refused<'forbidden' | 'user_not_found'>>;
  /** From now on, the user's API keys and sessions are refused. The last administrator cannot be suspended. */
  suspend(idOrEmail: string, actor: Actor): Promise<User | Refused<Unchanged>>;
  /** Ends the suspension: the user can sign in, and the API keys work again. */
  reinstate(idOrEmail: string, actor: Actor): Promise<User | Refused<Unchanged>>;
  /** `null` takes the role away. The last administrator keeps the role. */
  setRole(idOrEmail: string, role: Role | null, actor: Actor): Promise<User | Refused<Unchanged>>;
}

interface UserAdministrationPorts {
  readonly store: AccountStore;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly details: UserDetailsReader;
  readonly clock: Clock;
}

export function createUserAdministration({
  store,
  accounts: { find },
  details,
  clock,
}: UserAdministrationPorts): UserAdministration {
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

    async detail(idOrEmail, actor) {
      const user = await findFor(actor, 'users:read', idOrEmail);
      return isRefused(user) ? user : { user, ...(await details.of(user.id)) };
    },

    async list({ after, limit, ...filter }, actor) {
      const refused = needing(actor, 'users:read');
      if (refused) return refused;
      const place = after === undefined ? undefined : parsePlace(after, toUserId);
      if (isRefused(place)) return place;
      const found = await store.list({ ...filter, after: place, limit: limit + 1 });
      const listed = found.slice(0, limit);
      const last = listed.at(-1);
      const isMore = found.length > limit && last !== undefined;
      return { users: listed.map(({ user }) => user), next: isMore ? formatPlace(last.place) : null };
    },

    suspend: (idOrEmail, actor) => change(idOrEmail, actor, 'users:manage', suspend, 'user.suspended'),
    reinstate: (idOrEmail, actor) => change(idOrEmail, actor, 'users:manage', reinstate, 'user.reinstated'),
    setRole: (idOrEmail, role, actor) =>
      change(idOrEmail, actor, 'roles:set', giveRole(role), 'user.role_set', { role }),
  };
}
