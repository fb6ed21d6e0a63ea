import { availableParallelism } from 'node:os';
import { ContainerModule } from 'inversify';
import { type Argon2Cost, createArgon2Hasher } from '../../../adapters/node/argon2.ts';
import { createCommonPasswords } from '../../../adapters/node/common-passwords.ts';
import { oneTimeCodes } from '../../../adapters/node/one-time-codes.ts';
import { createCredentials } from '../../../core/accounts/credentials.ts';
import { createDeviceLogins } from '../../../core/accounts/device-logins.ts';
import { createNaming } from '../../../core/accounts/naming.ts';
import { createSecondFactorSetUp } from '../../../core/accounts/second-factor-set-up.ts';
import { createSessions } from '../../../core/accounts/sessions.ts';
import { createSignIn } from '../../../core/accounts/sign-in.ts';
import type { SignInPorts } from '../../../core/accounts/sign-in-ports.ts';
import { createSignUp } from '../../../core/accounts/sign-up.ts';
import { t, token } from '../tokens.ts';

/**
 * Each hash keeps one core busy, and one of the four threads of libuv's pool, which files and SQLite need too. One core
 * is left for everything else: with two hashes at once on two cores, verifications took several times as long. Beyond
 * 100 that wait, sign-in is refused until there is room again.
 */
const hashing = { atOnce: Math.min(2, Math.max(1, availableParallelism() - 1)), waiting: 100 };

const ports = token<SignInPorts>('signInPorts');

/** Signing in, new accounts, sessions and passwords. `cost`: of hashing a password, for tests. */
export const signIn = (cost?: Argon2Cost) =>
  new ContainerModule(({ bind }) => {
    bind(ports).toResolvedValue(
      (logins, sessions, links, writeLetter, limiter, clock, secrets): SignInPorts => ({
        logins,
        sessions,
        links,
        hasher: createArgon2Hasher(hashing, cost),
        commonPasswords: createCommonPasswords(),
        codes: oneTimeCodes,
        writeLetter,
        limiter,
        clock,
        secrets,
      }),
      [t.loginStore, t.sessionStore, t.oneTimeLinks, t.writeLetter, t.rateLimiter, t.clock, t.secrets],
    );
    bind(t.signIn).toResolvedValue(createSignIn, [ports]);
    bind(t.signUp).toResolvedValue(createSignUp, [ports]);
    bind(t.deviceLogins).toResolvedValue(
      (store, { logins, limiter, clock, secrets }, keys) =>
        createDeviceLogins({ store, logins, keys, limiter, clock, secrets }),
      [t.deviceLoginStore, ports, t.accounts],
    );
    bind(t.sessions).toResolvedValue(createSessions, [ports]);
    bind(t.credentials).toResolvedValue(createCredentials, [ports]);
    bind(t.naming).toResolvedValue(createNaming, [t.accountStore, t.clock]);
    bind(t.secondFactor).toResolvedValue(createSecondFactorSetUp, [ports]);
  });
