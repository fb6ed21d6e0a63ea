import type { UserId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import { randomHex } from '../random-hex.ts';
import { day, hour, minute } from '../time.ts';
import type { Login } from './login.ts';

/** How long each kind of link can be used, in milliseconds. */
export const linkLives = {
  'set-up': 30 * minute,
  invite: 7 * day,
  'verify-email': day,
  'change-email': day,
  'reset-password': hour,
  'second-factor': 10 * minute,
} as const satisfies Record<LinkKind, number>;

/** The purpose of a link, with the data that its use needs. */
export type Purpose =
  /** Makes the first administrator. */
  | { readonly kind: 'set-up' }
  /** Makes a user, or lets a user without a password choose one. `isMailed`: only the owner of the address has the link. */
  | { readonly kind: 'invite'; readonly email: string; readonly role: Login['role']; readonly isMailed: boolean }
  /** Makes the user who signed up. Until then there is no user, so nobody can occupy the address of somebody else. */
  | { readonly kind: 'verify-email'; readonly name: string; readonly email: string; readonly passwordHash: string }
  | { readonly kind: 'change-email'; readonly email: string }
  | { readonly kind: 'reset-password' }
  /** Not part of an address. It proves to the second page of a sign-in that the first page got the right password. */
  | { readonly kind: 'second-factor' };
export type LinkKind = Purpose['kind'];
export type PurposeOf<Kind extends LinkKind> = Extract<Purpose, { kind: Kind }>;

/** A token that can be used once. */
export interface OneTimeLink {
  /** SHA-256 of the token, in hexadecimal. */
  readonly digest: string;
  readonly purpose: Purpose;
  /** The user for whom the link was made, with the generation at that time. */
  readonly of: { readonly userId: UserId; readonly generation: number } | null;
  readonly expiresAt: Instant;
}

/** Returns a new token: 256 random bits in hexadecimal. Sessions have tokens of the same form. */
export function mintToken(secrets: Secrets): string {
  return randomHex(secrets, 32);
}

/** Whether a text has the form of a token. Other texts need no look-up. */
export function looksLikeToken(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

export function isOfKind<Kind extends LinkKind>(purpose: Purpose, kind: Kind): purpose is PurposeOf<Kind> {
  return purpose.kind === kind;
}

/** Whether a link can be used now. `login` is the login of its user. */
export function isUsable({ of, expiresAt }: OneTimeLink, login: Login | undefined, now: Instant): boolean {
  if (now >= expiresAt) return false;
  return of === null || (login?.generation === of.generation && login.suspendedAt === null);
}
