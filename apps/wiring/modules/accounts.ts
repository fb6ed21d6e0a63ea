import { availableParallelism } from 'node:os';
import { createArgon2Hasher } from '../../../adapters/node/argon2.ts';
import { createCommonPasswords } from '../../../adapters/node/common-passwords.ts';
import { oneTimeCodes } from '../../../adapters/node/one-time-codes.ts';
import { createAccounts } from '../../../core/accounts/accounts.ts';
import { createCredentials } from '../../../core/accounts/credentials.ts';
import { createDeviceLogins } from '../../../core/accounts/device-logins.ts';
import { createNaming } from '../../../core/accounts/naming.ts';
import { createSecondFactorSetUp } from '../../../core/accounts/second-factor-set-up.ts';
import { createSessions } from '../../../core/accounts/sessions.ts';
import { createSignIn } from '../../../core/accounts/sign-in.ts';
import { createSignUp } from '../../../core/accounts/sign-up.ts';
import type { Tier } from '../../../core/accounts/tier.ts';
import { createAccountUsage } from '../../../core/accounts/usage.ts';
import { createUsageMeter } from '../../../core/accounts/usage-meter.ts';
import { createUserAdministration } from '../../../core/accounts/user-administration.ts';
import { createAuditTrail } from '../../../core/administration/audit-trail.ts';
import { contentsOf } from '../../../core/plans/plan.ts';
import { clock, config, log, passwordCost, secrets, setting } from '../chosen.ts';
import { keepSaving } from '../keeping.ts';
import { part } from '../part.ts';
import { rateLimiter } from './limits.ts';
import { writeLetter } from './mail.ts';
import { nowSet } from './settings.ts';
import * as sql from './sql.ts';

/**
 * Each hash keeps one core busy and takes 19 MiB. One core is left for everything else: with two hashes at once on two
 * cores, verifications took several times as long. Beyond 100 that wait, or 10 of one address, sign-in is refused until
 * there is room again.
 */
const hashing = { atOnce: Math.min(2, Math.max(1, availableParallelism() - 1)), waiting: 100, waitingOfOne: 10 };

export const signInPorts = {
  logins: sql.loginStore,
  sessions: sql.sessionStore,
  links: sql.oneTimeLinks,
  hasher: part(({ cost }) => createArgon2Hasher(hashing, cost), { cost: passwordCost }),
  commonPasswords: part(createCommonPasswords, {}),
  codes: part(() => oneTimeCodes, {}),
  writeLetter,
  limiter: rateLimiter,
  clock,
  secrets,
  signUpPolicy: nowSet('sign_up'),
};

export const signIn = part(createSignIn, signInPorts);
export const signUp = part(createSignUp, signInPorts);
export const sessions = part(createSessions, signInPorts);
export const credentials = part(createCredentials, signInPorts);
export const secondFactor = part(createSecondFactorSetUp, signInPorts);
export const naming = part(createNaming, { store: sql.accountStore, clock });

export const accounts = part(createAccounts, {
  store: sql.accountStore,
  clock,
  secrets,
  service: setting('API_KEY_PREFIX'),
  write: writeLetter,
});
export const deviceLogins = part(createDeviceLogins, {
  store: sql.deviceLoginStore,
  logins: sql.loginStore,
  keys: accounts,
  limiter: rateLimiter,
  clock,
  secrets,
});
export const userAdministration = part(createUserAdministration, {
  store: sql.accountStore,
  accounts,
  details: sql.userDetails,
  clock,
});
export const auditTrail = part(createAuditTrail, { log: sql.auditLog });

export const storageAllowance = part(
  ({ config }) => ({ free: config.STORAGE_FREE, pro: config.STORAGE_PRO, enterprise: config.STORAGE_ENTERPRISE }),
  { config },
);
export const planContents = part(
  ({ storage }) =>
    (tier: Tier) =>
      contentsOf(tier, storage),
  {
    storage: storageAllowance,
  },
);

/** Counts the calls of accounts in memory. Saves the counts every second, and when it is closed. */
export const usageMeter = part(
  ({ usage, clock, log }) => {
    const meter = createUsageMeter({ log: usage, clock });
    return { ...meter, ...keepSaving(meter.save, log, 'numbers of calls could not be saved') };
  },
  { usage: sql.usageLog, clock, log },
  (meter) => meter.close(),
);
export const accountUsage = part(createAccountUsage, {
  limiter: part(({ limits, limiter }) => (limits.kind === 'off' ? undefined : limiter), {
    limits: setting('RATE_LIMIT_URL'),
    limiter: rateLimiter,
  }),
  log: sql.usageLog,
  clock,
});
