import type { Event } from '../events/event.ts';
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

/** Stores a new link for this user, or for nobody yet. Returns its token, which is stored nowhere. */
export async function addLink<Kind extends LinkKind>(
  { links, secrets, clock }: SignInPorts,
  purpose: PurposeOf<Kind>,
  login?: Login,
  event?: Event,
): Promise<string> {
  const token = mintToken(secrets);
  const now = clock.now();
  const of = login ? { userId: login.id, generation: login.generation } : null;
  const link = { digest: secrets.digest(token), purpose, of, expiresAt: now + linkLives[purpose.kind] };
  await links.add(link, now, event);
  return token;
}

/** Returns the link with this token, and its purpose, which is of this kind. It may not be usable any more. */
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
