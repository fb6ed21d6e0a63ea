import type { ApiKey } from '../accounts/api-key.ts';
import type { Tier } from '../accounts/tier.ts';
import type { User } from '../accounts/user.ts';
import type { Event } from '../events/event.ts';
import type { Refused } from '../refusal.ts';
import type { Instant } from './clock.ts';

/** Account holders and their API keys. */
export interface AccountStore {
  add(user: Omit<User, 'id'>, event: Event): Promise<User | Refused<'email_taken'>>;
  findById(id: number): Promise<User | undefined>;
  /** `email` is in lower case. */
  findByEmail(email: string): Promise<User | undefined>;
  setTier(id: number, tier: Tier, event: Event): Promise<void>;

  addKey(key: Omit<ApiKey, 'id'>, event: Event): Promise<ApiKey>;
  /** Returns the key with this digest and its owner in one look-up. A revocation by any process shows at once. */
  findKey(digest: string): Promise<{ key: ApiKey; user: User } | undefined>;
  /** Newest first. */
  listKeys(userId: number): Promise<ApiKey[]>;
  /** Returns the keys with this id, or whose visible part starts with this text. */
  findKeys(idOrPrefix: string): Promise<ApiKey[]>;
  /** Sets the time of revocation, unless it is already set. */
  revokeKey(id: number, at: Instant, event: Event): Promise<void>;
  /** Sets the time of the last use, unless a later one is stored. */
  touchKey(id: number, at: Instant): Promise<void>;
}
