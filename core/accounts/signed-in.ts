import type { By } from '../events/event.ts';
import type { News } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import { browserLife, deviceOf } from './known-browser.ts';
import { lettersAbout } from './letters-about.ts';
import type { Login } from './login.ts';
import { mintToken } from './one-time-link.ts';
import { isRecentlyConfirmed, type Session, sessionLife } from './session.ts';
import type { SignInPorts } from './sign-in-ports.ts';
import { isOfSandbox } from './user.ts';

/** A signed-in person, with the session in use. */
export interface SignedIn {
  readonly login: Login;
  readonly session: Session;
}

/** Where a request comes from. */
export interface From {
  /** As rate limits see it: an IPv4 address, or the network of an IPv6 address. */
  readonly address: string;
  /** The name that the browser gives itself. */
  readonly browser: string;
  /** The `device` that the browser got at its last sign-in. Without it, the browser counts as new. */
  readonly device?: string | undefined;
}

/** A token for the browser. It is returned only here, and stored nowhere. */
export interface NewSession {
  readonly kind: 'signed_in';
  readonly token: string;
  readonly login: Login;
  /** Only after a sign-in: a token that the browser keeps for `browserLife` and sends at the next sign-in. */
  readonly device?: string;
}

const longestBrowser = 200;

/** Returns the facts that the audit trail stores about somebody who changes their own account. */
export function bySelf({ login }: { readonly login: Pick<Login, 'email'> }): By {
  return { actor: login.email };
}

/**
 * Refuses a change of the ways to sign in if the password was entered too long ago. An account of the sandbox has no other way
 * than the session that it began with.
 */
export function refusingCredentials(
  { login, session }: SignedIn,
  now: Instant,
): Refused<'confirmation_needed' | 'forbidden'> | undefined {
  if (!isOfSandbox(login)) return needsConfirmation(session, now);
  return refuse(
    'forbidden',
    'An account of the sandbox has no password, no second factor and no e-mail address of its own. It can be used in this browser only.',
  );
}

/** Refuses a sensitive change if the password was entered too long ago. */
export function needsConfirmation(
  session: Pick<Session, 'confirmedAt'>,
  now: Instant,
): Refused<'confirmation_needed'> | undefined {
  return isRecentlyConfirmed(session, now) ? undefined : refuse('confirmation_needed', 'Enter your password again.');
}

/**
 * Call it only after the person has proved to be this user. Tells the user if the browser is new, but not at the first
 * sign-in of an account, which is always in a new browser.
 */
export async function startSession(
  ports: SignInPorts,
  login: Login,
  { address, browser: named, device: sent }: From,
  { isFirst }: { readonly isFirst: boolean },
): Promise<NewSession> {
  const { sessions, secrets, clock } = ports;
  const now = clock.now();
  const token = mintToken(secrets);
  const device = deviceOf(sent, secrets);
  const browser = named.slice(0, longestBrowser);
  await sessions.add(
    {
      userId: login.id,
      digest: secrets.digest(token),
      generation: login.generation,
      role: login.role,
      startedAt: now,
      lastSeenAt: now,
      // An account of the sandbox has no password that could be entered again.
      confirmedAt: login.sandboxUntil ?? now,
      browser,
      address,
    },
    { startedBefore: now - sessionLife.absolute, seenBefore: now - sessionLife.idle },
    {
      browser: secrets.digest(device),
      forgetBefore: now - browserLife,
      ifNew: isFirst ? {} : newSignIn(ports, login, { browser, address, at: now }),
    },
  );
  return { kind: 'signed_in', token, login, device };
}

function newSignIn(
  ports: SignInPorts,
  login: Login,
  { browser, address, at }: { readonly browser: string; readonly address: string; readonly at: Instant },
): News {
  return {
    letters: lettersAbout(ports, login, { kind: 'new-sign-in', name: login.name, browser, address, at }),
    notices: [{ userId: login.id, notice: { kind: 'new_sign_in', browser, address }, createdAt: at }],
  };
}

/**
 * Gives the session a new token and the generation of `login`, after a change that ends the user's other sessions.
 * Refuses if the session ended meanwhile.
 */
export async function renewSession(
  { sessions, secrets, clock }: SignInPorts,
  { session }: SignedIn,
  login: Login,
  confirmedAt: Instant = session.confirmedAt,
): Promise<NewSession | Refused<'signed_out'>> {
  const token = mintToken(secrets);
  const { generation, role } = login;
  const digest = secrets.digest(token);
  const isRenewed = await sessions.renew(session, { digest, generation, role, lastSeenAt: clock.now(), confirmedAt });
  return isRenewed ? { kind: 'signed_in', token, login } : refuse('signed_out');
}
