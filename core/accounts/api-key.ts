import type { Event } from '../events/event.ts';
import type { ApiKeyId, UserId } from '../id.ts';
import type { Change } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import { randomHex } from '../random-hex.ts';

export const keyModes = ['live', 'test'] as const;
/** What a test key writes is seen by test keys alone, and never reaches the public. */
export type KeyMode = (typeof keyModes)[number];

/** An API key as it is stored: nobody can tell the key itself from it. */
export interface ApiKey {
  readonly id: ApiKeyId;
  readonly userId: UserId;
  readonly name: string;
  readonly mode: KeyMode;
  /** SHA-256 of the key, in hexadecimal. */
  readonly digest: string;
  /** The key up to the first four of its random characters: enough to recognise it by. */
  readonly prefix: string;
  readonly lastFour: string;
  readonly createdAt: Instant;
  /** The first instant at which it is no longer good; `null` is never. */
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** To within `lastUsedPrecision`. */
  readonly lastUsedAt: Instant | null;
}

/** How coarsely the last use of a key is kept, in milliseconds: at most one write in this time. */
export const lastUsedPrecision = 5 * 60_000;

/** A new key, `<service>_sk_<mode>_` and 32 hexadecimal characters (128 random bits). */
export function mintApiKey(service: string, mode: KeyMode, secrets: Secrets): string {
  return `${service}_sk_${mode}_${randomHex(secrets, 16)}`;
}

/** The part of a key that it may be recognised by. */
export function recognisable(key: string): { prefix: string; lastFour: string } {
  return { prefix: key.slice(0, -28), lastFour: key.slice(-4) };
}

/** Whether a text could be a key of this service. Anything else needs no look-up. */
export function looksLikeApiKey(service: string, text: string): boolean {
  const [random, ...before] = text.split('_').reverse();
  const head = before.reverse().join('_');
  return /^[0-9a-f]{32}$/.test(random ?? '') && keyModes.some((mode) => head === `${service}_sk_${mode}`);
}

export function isGood(key: ApiKey, now: Instant): boolean {
  return key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);
}

/** Revokes a key for good. Revoking it again changes nothing. */
export function revoke(key: ApiKey, now: Instant, event: Event): Change<ApiKey> {
  return key.revokedAt === null ? { after: { ...key, revokedAt: now }, event } : { after: key };
}
