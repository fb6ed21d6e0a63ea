import { event, type KeyedRequest } from '../events/event.ts';
import { parseId, toUserId } from '../id.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Change } from '../ports/change.ts';
import type { Clock } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { isGood, type KeyMode, lastUsedPrecision, looksLikeApiKey } from './api-key.ts';
import { createKeys, type KeyCaller, type Keys } from './api-keys.ts';
import { assignedTier, withAssignedTier } from './paid-tier.ts';
import { type Actor, byOf, may, needing } from './role.ts';
import type { Tier } from './tier.ts';
import { plainUser, type SellingRight, type User } from './user.ts';

/** The user who calls a use case, for live or for test data. */
export interface Caller {
  readonly user: User;
  readonly mode: KeyMode;
  /** The request with its idempotency key, if it has one. */
  readonly request?: KeyedRequest | undefined;
}

/** Account holders and their API keys. */
export interface Accounts extends Keys {
  /** Needs `users:manage`, like `setTier`. */
  add(
    user: { name: string; email: string; tier: Tier },
    actor: Actor,
  ): Promise<User | Refused<'forbidden' | 'email_taken'>>;
  /** Accepts an id in digits, or an e-mail address. */
  find(idOrEmail: string): Promise<User | Refused<'user_not_found'>>;
  /**
   * Gives a plan. While the user pays for one, the higher of both counts. With `seen`, refuses if the given plan was another
   * one when the user was seen.
   */
  setTier(
    idOrEmail: string,
    tier: Tier,
    actor: Actor,
    seen?: Pick<User, 'tier' | 'plan'>,
  ): Promise<User | Refused<'forbidden' | 'user_not_found' | 'changed_meanwhile'>>;
  /** `null` takes the right away; products stay. With `seen`, refuses if the user had another one when it was seen. */
  setSelling(
    idOrEmail: string,
    selling: SellingRight | null,
    actor: Actor,
    seen?: Pick<User, 'selling'>,
  ): Promise<User | Refused<'forbidden' | 'user_not_found' | 'changed_meanwhile'>>;

  /**
   * Returns the owner of a key, and what the key allows. Gives the same refusal for every invalid key and for the keys
   * of suspended users. Implements "Authentication" of the spec.
   */
  authenticate(key: string | undefined): Promise<KeyCaller | Refused<'unauthorized'>>;
}

interface AccountsPorts {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly service: string;
  readonly write: WriteLetter;
}

/** `service` is the short prefix of this service's keys, such as `lk`. */
export function createAccounts({ store, clock, secrets, service, write }: AccountsPorts): Accounts {
  async function find(idOrEmail: string): Promise<User | Refused<'user_not_found'>> {
    const id = parseId(idOrEmail, toUserId);
    const user = id === undefined ? await store.findByEmail(idOrEmail.toLowerCase()) : await store.findById(id);
    return user ?? unknownUser(idOrEmail);
  }

  /** Changes a user, if the actor may manage users. */
  async function manage(
    idOrEmail: string,
    actor: Actor,
    decide: (before: User) => Change<User> | Refused<'changed_meanwhile'>,
  ): Promise<User | Refused<'forbidden' | 'user_not_found' | 'changed_meanwhile'>> {
    const user = needing(actor, 'users:manage') ?? (await find(idOrEmail));
    if (isRefused(user)) return user;
    return (await store.change(user.id, decide)) ?? unknownUser(idOrEmail);
  }

  return {
    ...createKeys(find, store, clock, secrets, service, write),
    find,

    async add({ name, email, tier }, actor) {
      const refused = needing(actor, 'users:manage');
      if (refused) return refused;
      const now = clock.now();
      const address = email.toLowerCase();
      return await store.add(
        { name, email: address, tier, createdAt: now, ...plainUser },
        event('user.added', address, byOf(actor), now, { tier }),
      );
    },

    setSelling: (idOrEmail, selling, actor, seen) =>
      manage(idOrEmail, actor, (before) => {
        if (seen !== undefined && before.selling !== seen.selling) return refuse('changed_meanwhile');
        if (before.selling === selling) return { after: before };
        const told = event('user.selling_set', before.email, byOf(actor), clock.now(), { selling });
        return { after: { ...before, selling }, event: told };
      }),

    setTier: (idOrEmail, tier, actor, seen) =>
      manage(idOrEmail, actor, (before) => {
        if (seen !== undefined && assignedTier(before) !== assignedTier(seen)) return refuse('changed_meanwhile');
        const told = event('user.tier_set', before.email, byOf(actor), clock.now(), { tier });
        return { after: withAssignedTier(before, tier), event: told };
      }),

    async authenticate(text) {
      if (text === undefined || !looksLikeApiKey(service, text)) return refuse('unauthorized');
      const digest = secrets.digest(text);
      const found = await store.findKey(digest);
      const now = clock.now();
      if (found === undefined || !secrets.equal(found.key.digest, digest) || !isGood(found.key, now)) {
        return refuse('unauthorized');
      }
      const { key, user } = found;
      if (!may({ kind: 'user', user }, 'own:manage', user.id)) return refuse('unauthorized');
      if (key.lastUsedAt === null || now - key.lastUsedAt >= lastUsedPrecision) await store.touchKey(key.id, now);
      return { user, mode: key.mode, keyId: key.id, scopes: key.scopes };
    },
  };
}

function unknownUser(idOrEmail: string): Refused<'user_not_found'> {
  return refuse('user_not_found', `No user has the id or e-mail address ${idOrEmail}.`);
}
