import type { By } from '../events/event.ts';
import type { Instant } from '../ports/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Login } from './login.ts';
import { mintToken } from './one-time-link.ts';
import { isRecentlyConfirmed, type Session, sessionLife } from './session.ts';
import type { SignInPorts } from './sign-in-ports.ts';

/** A signed-in person, with the session in use. */
export interface SignedIn {
  readonly login: Login;
  readonly session: Session;
}

/** Where a request comes from. */
export interface From {
  /** As rate limits see it: an IPv4 address, or the network of an IPv6 address. */
  readonly address: string;
  /** What the browser says that it is. */
  readonly browser: string;
}

/** A token for the browser. It is returned only here, and stored nowhere. */
export interface NewSession {
  readonly kind: 'signed_in';
  readonly token: string;
  readonly login: Login;
}

const longestBrowser = 200;

/** The person as the actor of a change. */
export function actorOf({ login }: { readonly login: Pick<Login, 'email'> }): By {
  return { actor: login.email };
}

/** Sensitive acts need the password again after some minutes. */
export function needsConfirmation(session: Session, now: Instant): Refused<'confirmation_needed'> | undefined {
  return isRecentlyConfirmed(session, now) ? undefined : refuse('confirmation_needed', 'Enter your password again.');
}

/** Call it only after the user has proved to be this one. */
export async function startSession(
  { sessions, secrets, clock }: SignInPorts,
  login: Login,
  { address, browser }: From,
): Promise<NewSession> {
  const now = clock.now();
  const token = mintToken(secrets);
  await sessions.add(
    {
      userId: login.id,
      digest: secrets.digest(token),
      generation: login.generation,
      role: login.role,
      startedAt: now,
      lastSeenAt: now,
      confirmedAt: now,
      browser: browser.slice(0, longestBrowser),
      address,
    },
    { startedBefore: now - sessionLife.absolute, seenBefore: now - sessionLife.idle },
  );
  return { kind: 'signed_in', token, login };
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
