import type { UserId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SessionStore } from '../ports/session-store.ts';
import { day } from '../time.ts';
import { looksLikeToken, mintToken } from './one-time-link.ts';

/** How long an unused browser is remembered, in milliseconds. Browsers keep no cookie longer. */
export const browserLife = 400 * day;

interface Ports {
  readonly sessions: Pick<SessionStore, 'knows' | 'remember'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** Returns the token of a browser: the one that it sent, or a new one. It signs nobody in. */
export function deviceOf(sent: string | undefined, secrets: Secrets): string {
  return sent !== undefined && looksLikeToken(sent) ? sent : mintToken(secrets);
}

/** Returns the digest of the browser's token if the account with this e-mail address knows the browser. */
export async function knownBrowser(
  { sessions, secrets, clock }: Ports,
  email: string,
  sent: string | undefined,
): Promise<string | undefined> {
  if (sent === undefined || !looksLikeToken(sent)) return undefined;
  const digest = secrets.digest(sent);
  return (await sessions.knows(email, digest, clock.now() - browserLife)) ? digest : undefined;
}

/** Makes a browser known to a user who has proved who they are, but does not sign in. Returns the browser's token. */
export async function rememberBrowser(
  { sessions, secrets, clock }: Ports,
  userId: UserId,
  sent: string | undefined,
): Promise<string> {
  const device = deviceOf(sent, secrets);
  const now = clock.now();
  await sessions.remember(userId, { browser: secrets.digest(device), forgetBefore: now - browserLife }, now);
  return device;
}
