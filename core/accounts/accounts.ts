import { type By, event } from '../events/event.ts';
import { parseId, toUserId } from '../id.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import {
  type ApiKey,
  isGood,
  type KeyMode,
  lastUsedPrecision,
  looksLikeApiKey,
  mintApiKey,
  recognisable,
  revoke,
} from './api-key.ts';
import { may } from './role.ts';
import type { Tier } from './tier.ts';
import { plainUser, type User } from './user.ts';

/** The caller of the account API, and the mode of the API key in use. */
export interface Caller {
  readonly user: User;
  readonly mode: KeyMode;
}

/** The terms of a new API key. */
export interface KeyTerms {
  readonly name: string;
  readonly mode: KeyMode;
  readonly expiresAt: Instant | null;
}

/** Account holders and their API keys. */
export interface Accounts {
  add(user: { name: string; email: string; tier: Tier }, by: By): Promise<User | Refused<'email_taken'>>;
  /** Accepts an id in digits, or an e-mail address. */
  find(idOrEmail: string): Promise<User | Refused<'user_not_found'>>;
  setTier(idOrEmail: string, tier: Tier, by: By): Promise<User | Refused<'user_not_found'>>;

  /** Returns the owner and mode of a key. Refuses all invalid keys, and those of suspended users, alike. Implements "Authentication" of the spec. */
  authenticate(key: string | undefined): Promise<Caller | Refused<'unauthorized'>>;
  /** `secret` is the key itself. It is returned only here, and stored nowhere. */
  createKey(
    idOrEmail: string,
    terms: KeyTerms,
    by: By,
  ): Promise<{ key: ApiKey; secret: string } | Refused<'user_not_found'>>;
  listKeys(idOrEmail: string): Promise<ApiKey[] | Refused<'user_not_found'>>;
  /** Revoking a revoked key changes nothing. */
  revokeKey(idOrPrefix: string, by: By): Promise<ApiKey | Refused<'key_not_found' | 'key_ambiguous'>>;
}

/** `service` is the short prefix of this service's keys, such as `lk`. */
export function createAccounts(store: AccountStore, clock: Clock, secrets: Secrets, service: string): Accounts {
  async function find(idOrEmail: string): Promise<User | Refused<'user_not_found'>> {
    const id = parseId(idOrEmail, toUserId);
    const user = id === undefined ? await store.findByEmail(idOrEmail.toLowerCase()) : await store.findById(id);
    return user ?? unknownUser(idOrEmail);
  }

  return {
    find,

    async add({ name, email, tier }, by) {
      const now = clock.now();
      const address = email.toLowerCase();
      return await store.add(
        { name, email: address, tier, createdAt: now, ...plainUser },
        event('user.added', address, by, now, { tier }),
      );
    },

    async setTier(idOrEmail, tier, by) {
      const user = await find(idOrEmail);
      if (isRefused(user)) return user;
      const changed = await store.change(user.id, (before) => ({
        after: { ...before, tier },
        event: event('user.tier_set', before.email, by, clock.now(), { tier }),
      }));
      return changed ?? unknownUser(idOrEmail);
    },

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
      return { user, mode: key.mode };
    },

    async createKey(idOrEmail, { name, mode, expiresAt }, by) {
      const user = await find(idOrEmail);
      if (isRefused(user)) return user;
      const now = clock.now();
      const secret = mintApiKey(service, mode, secrets);
      const key = await store.addKey(
        {
          userId: user.id,
          name,
          mode,
          digest: secrets.digest(secret),
          ...recognisable(secret),
          createdAt: now,
          expiresAt,
          revokedAt: null,
          lastUsedAt: null,
        },
        event('key.created', user.email, by, now, { prefix: recognisable(secret).prefix, mode, expires_at: expiresAt }),
      );
      return { key, secret };
    },

    async listKeys(idOrEmail) {
      const user = await find(idOrEmail);
      return isRefused(user) ? user : await store.listKeys(user.id);
    },

    async revokeKey(idOrPrefix, by) {
      const [key, ...others] = await store.findKeys(idOrPrefix);
      if (key === undefined) return unknownKey(idOrPrefix);
      if (others.length > 0) return refuse('key_ambiguous', `${others.length + 1} API keys start with ${idOrPrefix}.`);
      const changed = await store.changeKey(key.id, (before) => {
        const now = clock.now();
        return revoke(before, now, event('key.revoked', before.prefix, by, now));
      });
      return changed ?? unknownKey(idOrPrefix);
    },
  };
}

function unknownUser(idOrEmail: string): Refused<'user_not_found'> {
  return refuse('user_not_found', `No user has the id or e-mail address ${idOrEmail}.`);
}

function unknownKey(idOrPrefix: string): Refused<'key_not_found'> {
  return refuse('key_not_found', `No API key has the id or prefix ${idOrPrefix}.`);
}
