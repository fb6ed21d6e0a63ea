import type { Clock } from '../ports/clock.ts';
import type { CommonPasswords } from '../ports/common-passwords.ts';
import type { LoginStore } from '../ports/login-store.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { OneTimeCodes } from '../ports/one-time-codes.ts';
import type { OneTimeLinks } from '../ports/one-time-links.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SessionStore } from '../ports/session-store.ts';
import type { SignUpPolicy } from './sign-up-policy.ts';

/** The dependencies of the use cases around signing in. */
export interface SignInPorts {
  readonly logins: LoginStore;
  readonly sessions: SessionStore;
  readonly links: OneTimeLinks;
  readonly hasher: PasswordHasher;
  readonly commonPasswords: CommonPasswords;
  readonly codes: OneTimeCodes;
  readonly writeLetter: WriteLetter;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly secrets: Secrets;
  signUpPolicy(): SignUpPolicy;
}
