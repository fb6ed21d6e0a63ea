import type { OneTimeLinks } from '../ports/one-time-links.ts';
import type { Login } from './login.ts';
import {
  isOfKind,
  type LinkKind,
  linkLives,
  looksLikeToken,
  mintToken,
  type OneTimeLink,
  type PurposeOf,
} from './one-time-link.ts';
import type { SignInPorts } from './sign-in-ports.ts';

/**
 * Stores a new link for this user, or for somebody without an account, in one transaction with what `also` returns.
 * Returns the token. It is stored nowhere but in the letter with the link.
 */
export async function addLink<Kind extends LinkKind>(
  { links, secrets, clock }: SignInPorts,
  purpose: PurposeOf<Kind>,
  login?: Login,
  also: (token: string) => Parameters<OneTimeLinks['add']>[2] = () => ({}),
): Promise<string> {
  const token = mintToken(secrets);
  const now = clock.now();
  const of = login ? { userId: login.id, generation: login.generation } : null;
  const link = { digest: secrets.digest(token), purpose, of, expiresAt: now + linkLives[purpose.kind] };
  await links.add(link, now, also(token));
  return token;
}

/** Returns the link with this token, if it is of this kind. It may have expired: see `isUsable`. */
export async function findLink<Kind extends LinkKind>(
  { links, secrets }: SignInPorts,
  kind: Kind,
  token: string,
): Promise<(OneTimeLink & { readonly purpose: PurposeOf<Kind> }) | undefined> {
  if (!looksLikeToken(token)) return undefined;
  const link = await links.find(secrets.digest(token));
  if (link === undefined) return undefined;
  const { purpose } = link;
  return isOfKind(purpose, kind) ? { ...link, purpose } : undefined;
}
