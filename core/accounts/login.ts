import type { UserId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import type { Role } from './role.ts';
import type { SecondFactor } from './second-factor.ts';
import type { Tier } from './tier.ts';
import type { SellingRight } from './user.ts';

/** A user with the data for signing in. */
export interface Login {
  readonly id: UserId;
  readonly name: string;
  /** In lower case. */
  readonly email: string;
  readonly role: Role | null;
  readonly selling: SellingRight | null;
  readonly suspendedAt: Instant | null;
  /** See `User`. */
  readonly sandboxUntil?: Instant | undefined;
  /** `null` if the user has never chosen a password. Then nobody can sign in as this user. */
  readonly passwordHash: string | null;
  /** When the user proved to receive mail at `email`. `null` if the address is not verified. */
  readonly emailVerifiedAt: Instant | null;
  readonly secondFactor: SecondFactor | null;
  /** Each change of password, e-mail address, second factor, role or suspension raises it. Older sessions and links are not valid. */
  readonly generation: number;
}

/** A user to add. */
export interface NewLogin extends Pick<Login, 'name' | 'email' | 'role' | 'passwordHash' | 'emailVerifiedAt'> {
  readonly tier: Tier;
  readonly createdAt: Instant;
  readonly selling?: SellingRight | null;
  /** Only for an account of the sandbox. See `User`. */
  readonly sandboxUntil?: Instant;
}
