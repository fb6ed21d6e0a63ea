import type { ApiKey } from '../accounts/api-key.ts';
import type { Role } from '../accounts/role.ts';
import type { Tier } from '../accounts/tier.ts';
import type { User } from '../accounts/user.ts';
import type { Event } from '../events/event.ts';
import type { ApiKeyId, UserId } from '../id.ts';
import type { Refused } from '../refusal.ts';
import type { Change, ChangeById } from './change.ts';
import type { Instant } from './clock.ts';

export interface UserFilter {
  /** The beginning of the name or of the e-mail address, in upper or lower case. */
  readonly search?: string | undefined;
  readonly tier?: Tier | undefined;
  readonly role?: Role | undefined;
  /** The last user of the previous page. */
  readonly after?: User | undefined;
  readonly limit: number;
}

/** Account holders and their API keys. */
export interface AccountStore {
  add(user: Omit<User, 'id'>, event: Event): Promise<User | Refused<'email_taken'>>;
  findById(id: UserId): Promise<User | undefined>;
  /** `email` is in lower case. */
  findByEmail(email: string): Promise<User | undefined>;
  /**
   * Returns one page: newest first, or with `search` first the users whose e-mail address matches, by address, and then
   * those of whom only the name matches, by name. May be some seconds old. Reads about as many rows as it returns,
   * except where the matching addresses end: there it skips the names of the users who were listed by address.
   */
  list(filter: UserFilter): Promise<User[]>;
  /** For all changes but those of role and suspension. */
  readonly change: ChangeById<UserId, User>;
  /**
   * As `change`, for changes of role and suspension. `administrators` are the administrators who are not suspended, also
   * the user itself. Until the change is saved, no other process can take role or access from one of them.
   */
  changeRights<R extends string = never>(
    id: UserId,
    decide: (before: User, administrators: readonly UserId[]) => Change<User> | Refused<R>,
  ): Promise<User | Refused<R> | undefined>;

  addKey(key: Omit<ApiKey, 'id'>, event: Event): Promise<ApiKey>;
  /** Returns the key with this digest and its owner in one look-up. A revocation or suspension by any process is visible at once. */
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
