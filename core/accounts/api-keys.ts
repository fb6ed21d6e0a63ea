import { type By, event, type KeyedRequest } from '../events/event.ts';
import { type ApiKeyId, parseId, toApiKeyId } from '../id.ts';
import type { AccountStore, Replaced } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import {
  type ApiKey,
  endOfRotated,
  type KeyMode,
  mintApiKey,
  type RotationRefusal,
  revoke,
  visibleParts,
} from './api-key.ts';
import { newsOfNewKey, newsOfRevokedKey } from './api-key-news.ts';
import { asOfOwner, type KeyAct, mayWithKeys, needingForKeys } from './api-key-rights.ts';
import { type KeyTerms, mostEndedKeys, refusingLive, type TermsRefusal, tooMany, wrongTerms } from './api-key-terms.ts';
import { type Actor, byOf } from './role.ts';
import { type Scopes, sortedScopes } from './scope.ts';
import type { User } from './user.ts';

/** A caller of the account API, with what the API key in use allows. */
export interface KeyCaller {
  readonly user: User;
  readonly mode: KeyMode;
  readonly keyId: ApiKeyId;
  readonly scopes: Scopes;
  /** The request with its idempotency key, if it has one. */
  readonly request?: KeyedRequest | undefined;
}

/** `secret` is the new key itself. It is returned only once, and stored nowhere. */
interface Made {
  readonly key: ApiKey;
  readonly secret: string;
}

type Lookup = 'forbidden' | 'key_not_found' | 'key_ambiguous';

/**
 * The API keys of account holders. `keyRights` decides who may do what. An actor who may not list the keys of an account
 * gets `key_not_found` for each of them.
 */
export interface Keys {
  /**
   * People create keys only for their own account, on terms that `wrongTerms` accepts. The operator may choose any terms.
   * An account has at most `mostKeys` working keys.
   */
  createKey(
    idOrEmail: string,
    terms: KeyTerms,
    actor: Actor,
  ): Promise<Made | Refused<'forbidden' | 'user_not_found' | 'too_many_keys' | TermsRefusal>>;
  /**
   * Newest first: all working keys, and the newest `mostEndedKeys` of those that were revoked or have expired. `owner`: an id, an
   * e-mail address, or a user who was just read.
   */
  listKeys(owner: string | User, actor: Actor): Promise<ApiKey[] | Refused<'forbidden' | 'user_not_found'>>;
  /** Revoking a revoked key changes nothing. */
  revokeKey(idOrPrefix: string, actor: Actor): Promise<ApiKey | Refused<Lookup>>;
  /**
   * Makes a new key with the same name, mode, scopes and expiry. The old one ends after the overlap: 0 seconds to 7
   * days. If the account has `mostKeys` working keys, only a rotation without overlap is possible.
   */
  rotateKey(
    idOrPrefix: string,
    overlapSeconds: number,
    actor: Actor,
  ): Promise<(Made & Replaced) | Refused<Lookup | RotationRefusal | 'too_many_keys'>>;

  /** Lists the keys of the caller's account, as `listKeys` does. */
  ownKeys(caller: KeyCaller): Promise<ApiKey[] | Refused<'forbidden'>>;
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
  write: WriteLetter,
): Keys {
  async function findOwner(
    owner: string | User,
    actor: Actor,
    act: KeyAct,
  ): Promise<User | Refused<'forbidden' | 'user_not_found'>> {
    const user = typeof owner === 'string' ? await findUser(owner) : owner;
    const refused = needingForKeys(actor, act, isRefused(user) ? undefined : user.id);
    return refused ?? user;
  }

  async function findOne(idOrPrefix: string, actor: Actor, act: KeyAct): Promise<ApiKey | Refused<Lookup>> {
    const found = await store.findKeys(idOrPrefix);
    const [key, ...others] = found.filter(({ userId }) => mayWithKeys(actor, 'list', userId));
    if (key === undefined) return unknownKey(idOrPrefix);
    if (others.length > 0) return refuse('key_ambiguous', `${others.length + 1} API keys start with ${idOrPrefix}.`);
    return needingForKeys(actor, act, key.userId) ?? key;
  }

  const keysOf = ({ id }: User) => store.listKeys(id, { most: mostEndedKeys, by: clock.now() });

  const revokeNow = (id: ApiKeyId, by: By) =>
    store.changeKey(id, (before) => {
      const now = clock.now();
      return {
        ...revoke(before, now, event('key.revoked', before.prefix, by, now)),
        ...newsOfRevokedKey(before, now),
      };
    });

  return {
    async createKey(idOrEmail, terms, actor) {
      const user = await findOwner(idOrEmail, actor, 'make');
      if (isRefused(user)) return user;
      const now = clock.now();
      const refused = actor.kind === 'user' ? wrongTerms(terms, user, now) : refusingLive(terms.mode, user);
      if (refused) return refused;
      const { name, mode, scopes, expiresAt } = terms;
      const secret = mintApiKey(service, mode, secrets);
      const { prefix, lastFour } = visibleParts(secret);
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
      const told = event('key.created', user.email, byOf(actor), now, data);
      const added = await store.addKey(key, told, (owner) => {
        const denied = needingForKeys(asOfOwner(actor, owner.user), 'make', user.id) ?? tooMany(owner.workingKeys + 1);
        return denied ?? newsOfNewKey(write, owner.user, key, now);
      });
      return isRefused(added) ? added : { key: added, secret };
    },

    async listKeys(owner, actor) {
      const user = await findOwner(owner, actor, 'list');
      return isRefused(user) ? user : await keysOf(user);
    },

    async revokeKey(idOrPrefix, actor) {
      const key = await findOne(idOrPrefix, actor, 'revoke');
      return isRefused(key) ? key : ((await revokeNow(key.id, byOf(actor))) ?? unknownKey(idOrPrefix));
    },

    async rotateKey(idOrPrefix, overlapSeconds, actor) {
      const found = await findOne(idOrPrefix, actor, 'rotate');
      if (isRefused(found)) return found;
      const secret = mintApiKey(service, found.mode, secrets);
      const made = { digest: secrets.digest(secret), ...visibleParts(secret) };
      const replaced = await store.replaceKey(found.id, clock.now(), (before, owner) => {
        const now = clock.now();
        const endsAt = endOfRotated(before, now, overlapSeconds);
        if (isRefused(endsAt)) return endsAt;
        const denied =
          needingForKeys(asOfOwner(actor, owner.user), 'rotate', before.userId) ??
          tooMany(owner.workingKeys + (endsAt > now ? 1 : 0));
        if (denied) return denied;
        const { id: _, ...terms } = before;
        const successor = { ...terms, ...made, createdAt: now, lastUsedAt: null };
        return {
          endsAt,
          successor,
          event: event('key.rotated', before.prefix, byOf(actor), now, { new_prefix: made.prefix, ends_at: endsAt }),
          ...newsOfNewKey(write, owner.user, successor, now),
        };
      });
      if (replaced === undefined) return unknownKey(idOrPrefix);
      return isRefused(replaced) ? replaced : { ...replaced, secret };
    },

    ownKeys: async ({ user }) => needingForKeys({ kind: 'user', user }, 'list', user.id) ?? (await keysOf(user)),

    async revokeOwnKey(caller, id) {
      const keyId = parseId(id, toApiKeyId);
      const [key] = keyId === undefined ? [] : await store.findKeys(String(keyId));
      if (key === undefined || key.userId !== caller.user.id) return noOwnKey();
      const actor: Actor = { kind: 'user', user: caller.user };
      const denied = needingForKeys(actor, 'revoke', key.userId);
      if (denied) return denied;
      if (key.id !== caller.keyId && caller.scopes !== null) {
        return refuse('forbidden', 'To revoke another API key, an API key needs all scopes.');
      }
      if (key.mode === 'live' && caller.mode === 'test') {
        return refuse('forbidden', 'A test key cannot revoke a live key.');
      }
      return (await revokeNow(key.id, byOf(actor))) ?? noOwnKey();
    },
  };
}

function unknownKey(idOrPrefix: string): Refused<'key_not_found'> {
  return refuse('key_not_found', `No API key has the id or prefix ${idOrPrefix}.`);
}

function noOwnKey(): Refused<'not_found'> {
  return refuse('not_found', 'The account has no API key with this id.');
}
