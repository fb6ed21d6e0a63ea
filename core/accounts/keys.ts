import { type By, event } from '../events/event.ts';
import { type ApiKeyId, parseId, toApiKeyId } from '../id.ts';
import type { AccountStore, Replaced } from '../ports/account-store.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import {
  type ApiKey,
  endOfRotated,
  type KeyMode,
  mintApiKey,
  type RotationRefusal,
  recognisable,
  revoke,
} from './api-key.ts';
import { type Scopes, sortedScopes } from './scope.ts';
import type { User } from './user.ts';

/** A caller of the account API, with what the API key in use allows. */
export interface KeyCaller {
  readonly user: User;
  readonly mode: KeyMode;
  readonly keyId: ApiKeyId;
  readonly scopes: Scopes;
}

/** The terms of a new API key. */
export interface KeyTerms {
  readonly name: string;
  readonly mode: KeyMode;
  readonly scopes: Scopes;
  readonly expiresAt: Instant | null;
}

/** `secret` is the new key itself. It is returned only once, and stored nowhere. */
interface Made {
  readonly key: ApiKey;
  readonly secret: string;
}

/** The API keys of account holders. */
export interface Keys {
  createKey(idOrEmail: string, terms: KeyTerms, by: By): Promise<Made | Refused<'user_not_found'>>;
  /** Newest first. */
  listKeys(idOrEmail: string): Promise<ApiKey[] | Refused<'user_not_found'>>;
  /** Revoking a revoked key changes nothing. */
  revokeKey(idOrPrefix: string, by: By): Promise<ApiKey | Refused<'key_not_found' | 'key_ambiguous'>>;
  /**
   * Makes a new key with the same name, mode, scopes and expiry. The old one ends after the overlap: 0 seconds to 7
   * days.
   */
  rotateKey(
    idOrPrefix: string,
    overlapSeconds: number,
    by: By,
  ): Promise<(Made & Replaced) | Refused<'key_not_found' | 'key_ambiguous' | RotationRefusal>>;

  /** Lists all keys of the caller's account, newest first. */
  ownKeys(caller: KeyCaller): Promise<ApiKey[]>;
  /**
   * Revokes a key of the caller's account. Any key may revoke itself. To revoke another one, it must have all scopes, and
   * a live key cannot be revoked by a test key. Revoking a revoked key changes nothing.
   */
  revokeOwnKey(caller: KeyCaller, id: string): Promise<ApiKey | Refused<'not_found' | 'forbidden'>>;
}

export function createKeys(
  findUser: (idOrEmail: string) => Promise<User | Refused<'user_not_found'>>,
  store: AccountStore,
  clock: Clock,
  secrets: Secrets,
  service: string,
): Keys {
  async function findOne(idOrPrefix: string): Promise<ApiKey | Refused<'key_not_found' | 'key_ambiguous'>> {
    const [key, ...others] = await store.findKeys(idOrPrefix);
    if (key === undefined) return unknownKey(idOrPrefix);
    if (others.length > 0) return refuse('key_ambiguous', `${others.length + 1} API keys start with ${idOrPrefix}.`);
    return key;
  }

  const revokeNow = (id: ApiKeyId, by: By) =>
    store.changeKey(id, (before) => {
      const now = clock.now();
      return revoke(before, now, event('key.revoked', before.prefix, by, now));
    });

  return {
    async createKey(idOrEmail, { name, mode, scopes, expiresAt }, by) {
      const user = await findUser(idOrEmail);
      if (isRefused(user)) return user;
      const now = clock.now();
      const secret = mintApiKey(service, mode, secrets);
      const { prefix, lastFour } = recognisable(secret);
      const key: Omit<ApiKey, 'id'> = {
        userId: user.id,
        name,
        mode,
        scopes: sortedScopes(scopes),
        digest: secrets.digest(secret),
        prefix,
        lastFour,
        createdAt: now,
        expiresAt,
        revokedAt: null,
        replacedBy: null,
        lastUsedAt: null,
      };
      const data = { prefix, mode, scopes: key.scopes?.join(' ') ?? null, expires_at: expiresAt };
      return { key: await store.addKey(key, event('key.created', user.email, by, now, data)), secret };
    },

    async listKeys(idOrEmail) {
      const user = await findUser(idOrEmail);
      return isRefused(user) ? user : await store.listKeys(user.id);
    },

    async revokeKey(idOrPrefix, by) {
      const key = await findOne(idOrPrefix);
      return isRefused(key) ? key : ((await revokeNow(key.id, by)) ?? unknownKey(idOrPrefix));
    },

    async rotateKey(idOrPrefix, overlapSeconds, by) {
      const found = await findOne(idOrPrefix);
      if (isRefused(found)) return found;
      const secret = mintApiKey(service, found.mode, secrets);
      const made = { digest: secrets.digest(secret), ...recognisable(secret) };
      const replaced = await store.replaceKey(found.id, (before) => {
        const now = clock.now();
        const endsAt = endOfRotated(before, now, overlapSeconds);
        if (isRefused(endsAt)) return endsAt;
        const { id: _, ...terms } = before;
        return {
          endsAt,
          successor: { ...terms, ...made, createdAt: now, lastUsedAt: null },
          event: event('key.rotated', before.prefix, by, now, { new_prefix: made.prefix, ends_at: endsAt }),
        };
      });
      if (replaced === undefined) return unknownKey(idOrPrefix);
      return isRefused(replaced) ? replaced : { ...replaced, secret };
    },

    ownKeys: ({ user }) => store.listKeys(user.id),

    async revokeOwnKey(caller, id) {
      const keyId = parseId(id, toApiKeyId);
      const [key] = keyId === undefined ? [] : await store.findKeys(String(keyId));
      if (key === undefined || key.userId !== caller.user.id) return noOwnKey();
      if (key.id !== caller.keyId && caller.scopes !== null) {
        return refuse('forbidden', 'To revoke another API key, an API key needs all scopes.');
      }
      if (key.mode === 'live' && caller.mode === 'test') {
        return refuse('forbidden', 'A test key cannot revoke a live key.');
      }
      return (await revokeNow(key.id, { actor: caller.user.email })) ?? noOwnKey();
    },
  };
}

function unknownKey(idOrPrefix: string): Refused<'key_not_found'> {
  return refuse('key_not_found', `No API key has the id or prefix ${idOrPrefix}.`);
}

function noOwnKey(): Refused<'not_found'> {
  return refuse('not_found', 'The account has no API key with this id.');
}
