import type { Event } from '../events/event.ts';
import type { ApiKeyId, UserId } from '../id.ts';
import type { Change } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import { randomHex } from '../random-hex.ts';
import { type Refused, refuse } from '../refusal.ts';
import { inSeconds, minute } from '../time.ts';
import type { Scopes } from './scope.ts';

export const keyModes = ['live', 'test'] as const;
/** Data that a test key writes is visible only to test keys. It is never public. */
export type KeyMode = (typeof keyModes)[number];

/** An API key as it is stored. The key itself cannot be derived from it. */
export interface ApiKey {
  readonly id: ApiKeyId;
  readonly userId: UserId;
  readonly name: string;
  readonly mode: KeyMode;
  readonly scopes: Scopes;
  /** SHA-256 of the key, in hexadecimal. */
  readonly digest: string;
  /** The start of the key, up to its fourth random character. It is enough to recognize the key. */
  readonly prefix: string;
  readonly lastFour: string;
  readonly createdAt: Instant;
  /** The key is invalid from this instant on. `null` means that it never expires. */
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** The key that replaced this one in a rotation. */
  readonly replacedBy: ApiKeyId | null;
  /** Precise to `lastUsedPrecision`. */
  readonly lastUsedAt: Instant | null;
}

/** The precision of `lastUsedAt`, in milliseconds. `lastUsedAt` of a key is written at most once in this time. */
export const lastUsedPrecision = 5 * minute;

/** Returns a new key: `<service>_sk_<mode>_` and 32 hexadecimal characters (128 random bits). */
export function mintApiKey(service: string, mode: KeyMode, secrets: Secrets): string {
  return `${service}_sk_${mode}_${randomHex(secrets, 16)}`;
}

/** Returns the parts of a key by which its owner recognizes it. */
export function visibleParts(key: string): { prefix: string; lastFour: string } {
  return { prefix: key.slice(0, -28), lastFour: key.slice(-4) };
}

/** Whether a text has the form of a key of this service. Other texts need no look-up. */
export function looksLikeApiKey(service: string, text: string): boolean {
  const [random, ...before] = text.split('_').reverse();
  const head = before.reverse().join('_');
  return /^[0-9a-f]{32}$/.test(random ?? '') && keyModes.some((mode) => head === `${service}_sk_${mode}`);
}

export function isGood(key: ApiKey, now: Instant): boolean {
  return key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);
}

/** `ending`: the key was rotated and still works for a while. `revoked` and `expired` keys do not work. */
export type KeyState = 'active' | 'ending' | 'revoked' | 'expired';

export function keyStateOf(key: ApiKey, now: Instant): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (!isGood(key, now)) return 'expired';
  return key.replacedBy === null ? 'active' : 'ending';
}

/** Revokes a key permanently. Changes nothing if the key is already revoked. */
export function revoke(key: ApiKey, now: Instant, event: Event): Change<ApiKey> {
  return key.revokedAt === null ? { after: { ...key, revokedAt: now }, event } : { after: key };
}

/** The longest overlap of a rotation, in seconds: a week. */
export const maxOverlap = 7 * inSeconds.day;

/**
 * Returns when a key expires if it is rotated now: after the overlap, but never later than before. Refuses a key that was
 * already rotated, because a second successor would expire at the end of the first overlap.
 */
export function endOfRotated(key: ApiKey, now: Instant, overlapSeconds: number): Instant | Refused<RotationRefusal> {
  if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > maxOverlap) {
    return refuse('invalid_overlap', 'The overlap must be from 0 seconds to 7 days.');
  }
  if (key.replacedBy !== null) {
    return refuse(
      'key_replaced',
      `The API key was already rotated. Rotate the key that replaced it: ${key.replacedBy}.`,
    );
  }
  if (!isGood(key, now)) {
    return refuse(
      'key_ended',
      `The API key ${key.revokedAt === null ? 'has expired' : 'was revoked'}. Create a new one.`,
    );
  }
  return Math.min(key.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapSeconds * 1000);
}

export type RotationRefusal = 'invalid_overlap' | 'key_replaced' | 'key_ended';
