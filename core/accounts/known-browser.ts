import type { Secrets } from '../ports/secrets.ts';
import { looksLikeToken, mintToken } from './one-time-link.ts';

/** How long an unused browser is remembered, in milliseconds. Browsers keep no cookie longer. */
export const browserLife = 400 * 24 * 3_600_000;

/** Returns the token of a browser: the one that it sent, or a new one. It signs nobody in. */
export function deviceOf(sent: string | undefined, secrets: Secrets): string {
  return sent !== undefined && looksLikeToken(sent) ? sent : mintToken(secrets);
}
