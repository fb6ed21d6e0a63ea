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
  /** By the address in lower case. */
  findByEmail(email: string): Promise<User | undefined>;
  readonly change: ChangeById<UserId, User>;

  addKey(key: Omit<ApiKey, 'id'>, event: Event): Promise<ApiKey>;
  /** The key with this digest and its owner, in one look-up. What was revoked a moment ago, by anybody, shows. */
  findKey(digest: string): Promise<{ key: ApiKey; user: User } | undefined>;
  /** Newest first. */
  listKeys(userId: UserId): Promise<ApiKey[]>;
  /** Those with this id, or whose recognisable part starts with this text. */
  findKeys(idOrPrefix: string): Promise<ApiKey[]>;
  readonly changeKey: ChangeById<ApiKeyId, ApiKey>;
  /** Sets the last use, where it is later. */
  touchKey(id: ApiKeyId, at: Instant): Promise<void>;
}
