import { Secret, TOTP } from 'otpauth';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { oneTimeCodes } from '../../adapters/node/one-time-codes.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { createCredentials } from '../../core/accounts/credentials.ts';
import type { Login, NewLogin } from '../../core/accounts/login.ts';
import { createSecondFactorSetUp } from '../../core/accounts/second-factor-set-up.ts';
import { createSessions } from '../../core/accounts/sessions.ts';
import { createSignIn } from '../../core/accounts/sign-in.ts';
import type { SignInPorts } from '../../core/accounts/sign-in-ports.ts';
import { createSignUp } from '../../core/accounts/sign-up.ts';
import { event } from '../../core/events/event.ts';
import type { MailKind } from '../../core/mail/letter.ts';
import type { MailContent } from '../../core/mail/mail.ts';
import type { PasswordHasher } from '../../core/ports/password-hasher.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import type { Stores } from './backends.ts';
import { by } from './by.ts';
import { good } from './good.ts';
import { writeLetter } from './letters.ts';
import { issuedAt } from './license-acts.ts';

export type SignInStores = Pick<Stores, 'logins' | 'sessions' | 'links' | 'mails'>;

export interface SentLetter extends Pick<MailContent, 'text'> {
  readonly kind: MailKind;
  readonly to: string;
}

/** Counts how often it works, and is as slow for nobody as for anybody. Hashes that start with `old:` are outdated. */
function createPlainHasher() {
  const calls: string[] = [];
  const hasher: PasswordHasher = {
    async hash(password) {
      calls.push('hash');
      return `new:${password}`;
    },
    async verify(hash, password) {
      calls.push('verify');
      if (hash === `old:${password}`) return 'outdated';
      return hash === `new:${password}` ? 'right' : 'wrong';
    },
  };
  return { hasher, calls };
}

const unlimited: RateLimiter = { count: async () => ({ allowed: true, windows: [] }) };

/** All use cases around signing in, with a clock that the test sets and letters that it reads. */
export function signInWith({ logins, sessions, links, mails }: SignInStores, other: Partial<SignInPorts> = {}) {
  const clock = createManualClock(issuedAt);
  const { hasher, calls } = createPlainHasher();
  const ports: SignInPorts = {
    logins,
    sessions,
    links,
    hasher,
    commonPasswords: { includes: async (password) => password === 'password1' },
    codes: oneTimeCodes,
    writeLetter,
    limiter: unlimited,
    clock,
    secrets: systemSecrets,
    signUpPolicy: () => 'open',
    ...other,
  };
  /** Returns the letters but those about new browsers, in the order in which they were written. */
  const sent = async (limit = 999): Promise<SentLetter[]> => {
    const all = (await mails.list({ limit: 999 })).filter(({ kind }) => kind !== 'new-sign-in');
    const found = await Promise.all(all.slice(0, limit).map(({ id }) => mails.find(id)));
    return found.flatMap((mail) => (mail ? [{ kind: mail.kind, to: mail.to.address, text: mail.text }] : [])).reverse();
  };
  /** Returns the token in the last letter. */
  const tokenSent = async () => tokenIn((await sent(1))[0]);
  return {
    ports,
    clock,
    sent,
    tokenSent,
    hashes: calls,
    ...createSignIn(ports),
    ...createSignUp(ports),
    ...createCredentials(ports),
    sessions: createSessions(ports),
    secondFactor: createSecondFactorSetUp(ports),
  };
}

/** Returns the token in the address in a letter. */
export function tokenIn(letter: SentLetter | undefined): string {
  return letter?.text.match(/#([0-9a-f]{64})$/m)?.[1] ?? '';
}

export const from = { address: '203.0.113.7', browser: 'Firefox on Linux' };
export const password = 'correct horse battery';

/** Adds a user who signs in with `password`. */
export async function addLogin({ links }: Pick<SignInStores, 'links'>, fields: Partial<NewLogin> = {}): Promise<Login> {
  const email = fields.email ?? 'ada@example.com';
  const digest = `adds ${email}`;
  await links.add({ digest, purpose: { kind: 'reset-password' }, of: null, expiresAt: issuedAt + 1 }, issuedAt);
  const add = { name: 'Ada', email, role: null, passwordHash: `new:${password}`, emailVerifiedAt: issuedAt } as const;
  const login = await links.use(digest, () => ({
    add: { ...add, tier: 'free', createdAt: issuedAt, ...fields },
    event: event('user.added', email, by, issuedAt),
  }));
  if (login === undefined) throw new Error('The link is unknown.');
  return good(login);
}

/** The code that an app with this secret shows at this instant. */
export function codeAt(secret: string, timestamp: number): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp });
}
