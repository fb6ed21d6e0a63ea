import type { UserId } from '../id.ts';
import type { Instant } from './clock.ts';

/** The facts about an account that administrators see, besides the user. */
export interface UserDetails {
  /** The number of API keys that were not revoked, including expired ones. */
  readonly keys: number;
  /** The last use of an API key. `null` if none was used. */
  readonly keyUsedAt: Instant | null;
  /** The last use of a session that has not been ended. `null` if there is no such session. */
  readonly lastSeenAt: Instant | null;
  readonly emailVerifiedAt: Instant | null;
  readonly hasPassword: boolean;
  readonly hasSecondFactor: boolean;
}

/** Reads details of accounts. */
export interface UserDetailsReader {
  /** An unknown user has nothing. */
  of(id: UserId): Promise<UserDetails>;
}
