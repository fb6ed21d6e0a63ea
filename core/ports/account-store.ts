import type { ApiKey } from '../accounts/api-key.ts';
import type { Role } from '../accounts/role.ts';
import type { Tier } from '../accounts/tier.ts';
import type { User } from '../accounts/user.ts';
import type { Event } from '../events/event.ts';
import type { ApiKeyId, UserId } from '../id.ts';
import type { Place } from '../place.ts';
import type { Refused } from '../refusal.ts';
import type { Change, ChangeById, News } from './change.ts';
import type { Instant } from './clock.ts';

export interface UserFilter {
  /** The beginning of a word in the name or in the e-mail address, and what follows. In upper or lower case. */
  readonly search?: string | undefined;
  readonly tier?: Tier | undefined;
  readonly role?: Role | undefined;
  /** Whether to list only users who are suspended, or only those who are not. */
  readonly isSuspended?: boolean | undefined;
  /** The place of the last user of the previous page. */
  readonly after?: UserPlace | undefined;
  readonly limit: number;
}

/** `text` is the text by which a search found the user. */
export type UserPlace = Place<UserId>;

/** A user in a list. */
export interface ListedUser {
  readonly user: User;
  readonly place: UserPlace;
}

/** Account holders and their API keys. */
export interface AccountStore {
  add(user: Omit<User, 'id'>, event: Event): Promise<User | Refused<'email_taken'>>;
  findById(id: UserId): Promise<User | undefined>;
  /** `email` is in lower case. */
  findByEmail(email: string): Promise<User | undefined>;
  /**
   * Returns one page: newest first, or with `search` in the order of the matching texts. Each user is listed once, by
   * their first matching text. May be some seconds old. Reads about as many rows as it returns, however many users
   * there are.
   */
  list(filter: UserFilter): Promise<ListedUser[]>;
  /** For all changes except those of role and suspension. */
  readonly change: ChangeById<UserId, User>;
  /**
   * Like `change`, for changes of role and suspension. `administrators` are the administrators who are not suspended,
   * also the user itself. Until the change is saved, no other process can take role or access from one of them. A
   * change raises the generation of the user's login: older sessions and links stay invalid when role or access come
   * back.
   */
  changeRights<R extends string = never>(
    id: UserId,
    decide: (before: User, administrators: readonly UserId[]) => Change<User> | Refused<R>,
  ): Promise<User | Refused<R> | undefined>;

  /** Returns the administrators who are not suspended. */
  administrators(): Promise<UserId[]>;

  /**
   * Adds the key with its event and the news that `decide` returns, in one transaction, unless `decide` refuses. Until
   * then, no other process can add or replace a key of the owner, or change the owner. Throws if there is no such user.
   */
  addKey<R extends string = never>(
    key: Omit<ApiKey, 'id'>,
    event: Event,
    decide?: (owner: KeyOwner) => News | Refused<R>,
  ): Promise<ApiKey | Refused<R>>;
  /** Returns the key with this digest and its owner in one look-up. A revocation or suspension by any process is visible at once. */
  findKey(digest: string): Promise<{ key: ApiKey; user: User } | undefined>;
  /** Newest first. With `ended`, returns only the `most` newest of the keys that are revoked, or expired by this time. */
  listKeys(userId: UserId, ended?: { readonly most: number; readonly by: Instant }): Promise<ApiKey[]>;
  /** Returns the keys with this id, or whose visible part starts with this text. */
  findKeys(idOrPrefix: string): Promise<ApiKey[]>;
  readonly changeKey: ChangeById<ApiKeyId, ApiKey>;
  /**
   * Loads the key with this id, calls `decide`, adds the successor, stores its id and `endsAt` in the old key, and saves
   * the event and the news, all in one transaction. Locks the owner as `addKey` does. `now` decides which keys work.
   * Otherwise the same as `ChangeById`.
   */
  replaceKey<R extends string = never>(
    id: ApiKeyId,
    now: Instant,
    decide: (before: ApiKey, owner: KeyOwner) => Replacement | Refused<R>,
  ): Promise<Replaced | Refused<R> | undefined>;
  /** Sets the time of the last use, unless a later one is stored. */
  touchKey(id: ApiKeyId, at: Instant): Promise<void>;
}

/** The owner of a key, as stored. */
export interface KeyOwner {
  readonly user: User;
  /** The number of keys of the account that are neither revoked nor expired, without a key that is being added. */
  readonly workingKeys: number;
}

/** The decision to replace a key by a new one. */
export interface Replacement extends News {
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
