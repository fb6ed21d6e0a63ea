import type { UserId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import { type Allowance, accountSubject, type RateLimiter } from '../ports/rate-limiter.ts';
import { type Refused, refuse } from '../refusal.ts';
import { inSeconds } from '../time.ts';

interface Limits {
  /** For all attempts from one address. */
  readonly byAddress: readonly Allowance[];
  /** For all attempts from one address on one account. Other addresses do not use them up. */
  readonly byAccount: readonly Allowance[];
}

/** How often an address may try. `letter` means everything that sends a letter to an address that a stranger can name. */
export const signInLimits = {
  password: {
    byAddress: [{ limit: 60, seconds: 15 * inSeconds.minute }],
    byAccount: [
      { limit: 10, seconds: 15 * inSeconds.minute },
      { limit: 40, seconds: inSeconds.day },
    ],
  },
  code: {
    byAddress: [{ limit: 60, seconds: 15 * inSeconds.minute }],
    byAccount: [
      { limit: 10, seconds: 15 * inSeconds.minute },
      { limit: 40, seconds: inSeconds.day },
    ],
  },
  /** Programs that ask for a code of their own. They belong to no account. */
  device: {
    byAddress: [{ limit: 30, seconds: 15 * inSeconds.minute }],
    byAccount: [{ limit: 30, seconds: 15 * inSeconds.minute }],
  },
  /** Codes of programs that people type. To answer one takes three or four attempts. */
  'user-code': {
    byAddress: [{ limit: 100, seconds: 15 * inSeconds.minute }],
    byAccount: [{ limit: 40, seconds: 15 * inSeconds.minute }],
  },
  letter: {
    byAddress: [{ limit: 20, seconds: inSeconds.hour }],
    byAccount: [{ limit: 3, seconds: inSeconds.hour }],
  },
} as const satisfies Record<string, Limits>;
export type Attempt = keyof typeof signInLimits;

/**
 * For codes of an app from all addresses together, because six digits can be guessed from many addresses. Only somebody
 * who knows the password can use this limit up, and the account's owner can still sign in with a recovery code.
 */
export const appCodesOfAccount: readonly Allowance[] = [{ limit: 50, seconds: inSeconds.day }];

/**
 * For passwords of one account from all addresses together, in browsers in which its owner has not signed in: otherwise
 * each new address could guess again. The longer the guessing goes on, the longer is the wait. It cannot lock out the
 * owner: each of their browsers is counted alone, and so is one in which they have used a link to reset the password.
 */
export const passwordsOfAccount = [
  { limit: 12, seconds: 15 * inSeconds.minute },
  { limit: 30, seconds: 3 * inSeconds.hour },
  { limit: 60, seconds: inSeconds.day },
] as const satisfies readonly Allowance[];

/** Returns what an attempt is counted against. Each subject contains the address that the attempt comes from. */
export function limitsOf(
  attempt: Attempt,
  { address, account }: { readonly address: string; readonly account: string },
): { readonly subject: string; readonly allowances: readonly Allowance[] }[] {
  const { byAddress, byAccount } = signInLimits[attempt];
  return [
    { subject: `sign-in:${attempt}:${JSON.stringify([address])}`, allowances: byAddress },
    { subject: `sign-in:${attempt}:${JSON.stringify([address, account])}`, allowances: byAccount },
  ];
}

/** Counts one attempt. Refuses it if an allowance is used up. `account` is the e-mail address, whether it has an account or not. */
export async function countAttempt(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  attempt: Attempt,
  from: { readonly address: string; readonly account: string },
): Promise<Refused<'too_many_attempts'> | undefined> {
  for (const { subject, allowances } of limitsOf(attempt, from)) {
    const refused = await countAgainst(limiter, clock, subject, allowances);
    if (refused) return refused;
  }
  return undefined;
}

/** Counts one try of an app's code, from any address. */
export async function countAppCode(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  userId: UserId,
): Promise<Refused<'too_many_attempts'> | undefined> {
  return await countAgainst(limiter, clock, `${accountSubject(userId)}:app-code`, appCodesOfAccount);
}

/**
 * Counts one password for an account, whether it exists or not. `known` is the digest of a browser that the account
 * knows, or the id of the session in use.
 */
export async function countPassword(
  { limiter, clock }: { readonly limiter: RateLimiter; readonly clock: Clock },
  email: string,
  known: string | undefined,
): Promise<Refused<'too_many_attempts'> | undefined> {
  const subject = `sign-in:account:${JSON.stringify(known === undefined ? [email] : [email, known])}`;
  return await countAgainst(limiter, clock, subject, passwordsOfAccount);
}

/** Counts one attempt of a subject. Refuses it if one of its allowances is used up. */
export async function countAgainst(
  limiter: RateLimiter,
  clock: Clock,
  subject: string,
  allowances: readonly Allowance[],
  options?: Parameters<RateLimiter['count']>[2],
): Promise<Refused<'too_many_attempts'> | undefined> {
  const { allowed, windows } = await limiter.count(subject, allowances, options);
  if (allowed) return undefined;
  const free = Math.max(...windows.filter(({ remaining }) => remaining === 0).map(({ resetAt }) => resetAt));
  const wait = Math.max(1, Math.ceil((free - clock.now()) / 1000));
  return refuse('too_many_attempts', 'There were too many attempts. Try again later.', { retry_after: wait });
}
