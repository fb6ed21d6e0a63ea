import type { UserId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import type { Tier } from './tier.ts';

/** An account holder: a buyer, a seller, or both. */
export interface User {
  readonly id: UserId;
  readonly name: string;
  /** In lower case, and unique among users. */
  readonly email: string;
  readonly tier: Tier;
  readonly createdAt: Instant;
}
