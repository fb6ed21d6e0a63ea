import type { ApiKey } from '../accounts/api-key.ts';
import type { User } from '../accounts/user.ts';
import type { Event } from '../events/event.ts';
import type { ApiKeyId, UserId } from '../id.ts';
import type { Refused } from '../refusal.ts';
import type { ChangeById } from './change.ts';
import type { Instant } from './clock.ts';

/** Account holders and their API keys. */
export interface AccountStore {
  add(user: Omit<User, 'id'>, event: Event): Promise<User | Refused<'email_taken'>>;
  findById(id: UserId): Promise<User | undefined>;
  /** `email` is in lower case. */
  findByEmail(email: string): Promise<User | undefined>;
  readonly change: ChangeById<UserId, User>;

  addKey(key: Omit<ApiKey, 'id'>, event: Event): Promise<ApiKey>;
  /** Returns the key with this digest and its owner in one look-up. A revocation by any process is visible at once. */
  findKey(digest: string): Promise<{ key: ApiKey; user: User } | undefined>;
  /** Newest first. */
  listKeys(userId: UserId): Promise<ApiKey[]>;
  /** Returns the keys with this id, or whose visible part starts with this text. */
  findKeys(idOrPrefix: string): Promise<ApiKey[]>;
  readonly changeKey: ChangeById<ApiKeyId, ApiKey>;
  /**
   * Loads the key with this id, calls `decide`, adds the successor, stores its id and `endsAt` in the old key, and saves
   * the event, all in one transaction. Otherwise the same as `ChangeById`.
   */
  replaceKey<R extends string = never>(
    id: ApiKeyId,
    decide: (before: ApiKey) => Replacement | Refused<R>,
  ): Promise<Replaced | Refused<R> | undefined>;
  /** Sets the time of the last use, unless a later one is stored. */
  touchKey(id: ApiKeyId, at: Instant): Promise<void>;
}

/** The decision to replace a key by a new one. */
export interface Replacement {
  /** When the old key expires. */
  readonly endsAt: Instant;
  readonly successor: Omit<ApiKey, 'id'>;
  readonly event: Event;
}

/** Both keys as they are stored after a replacement. */
export interface Replaced {
  readonly old: ApiKey;
  readonly key: ApiKey;
}
