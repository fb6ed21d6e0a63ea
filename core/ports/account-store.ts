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
  /** By the address in lower case. */
  findByEmail(email: string): Promise<User | undefined>;
  setTier(id: number, tier: Tier, event: Event): Promise<void>;

  addKey(key: Omit<ApiKey, 'id'>, event: Event): Promise<ApiKey>;
  /** The key with this digest and its owner, in one look-up. What was revoked a moment ago, by anybody, shows. */
  findKey(digest: string): Promise<{ key: ApiKey; user: User } | undefined>;
  /** Newest first. */
  listKeys(userId: number): Promise<ApiKey[]>;
  /** Those with this id, or whose recognisable part starts with this text. */
  findKeys(idOrPrefix: string): Promise<ApiKey[]>;
  /** Sets the time of revocation where there is none yet. */
  revokeKey(id: number, at: Instant, event: Event): Promise<void>;
  /** Sets the last use, where it is later. */
  touchKey(id: number, at: Instant): Promise<void>;
}
