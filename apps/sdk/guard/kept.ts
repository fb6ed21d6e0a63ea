import { type Answer, type Doubt, fieldOf, readJson } from './answer.ts';
import type { Lease, LeaseFault } from './lease.ts';

/**
 * The stored facts of the last answer. Durations count from the answer, not by the time of day: a clock that is set
 * back cannot make an age smaller.
 */
export interface Kept {
  readonly state: 'valid' | 'invalid' | 'unknown';
  /** Why it is invalid. */
  readonly reason?: string | undefined;
  readonly expiresAt?: number | null | undefined;
  /** The time of the answer. Without one, of the first call. */
  readonly checkedAt: number;
  /** Milliseconds since the answer. */
  readonly age: number;
  /** The age at which the server is asked again. */
  readonly askAt: number;
  /** Why the last call brought no answer. */
  readonly doubt?: Doubt | undefined;
  /** Whether the server itself asked for a pause until `askAt`. */
  readonly isHeld?: boolean | undefined;
  /** The newest lease. If there is one, the license is valid as long as it, and not by days of grace. */
  readonly lease?: Lease | undefined;
  /** Why the lease does not count, or why there is none. */
  readonly fault?: LeaseFault | 'clock_set_back' | 'no_lease' | undefined;
  /** The time of issue of the newest lease that this site ever had. */
  readonly issued?: number | undefined;
  /** With leases: the latest time that this site has seen. A clock that is set back does not make it earlier. */
  readonly mark?: number | undefined;
}

const hour = 3_600_000;

/** The kept answer after a call. `chance` is from 0 to less than 1, and spreads the next calls of many sites. */
export function after(answer: Answer, before: Kept | undefined, now: number, chance: number): Kept {
  const start = { checkedAt: now, age: 0 };
  if (answer.state !== 'unknown') {
    const kept = { ...answer, ...start, askAt: hour * (1 - 0.2 * chance) };
    return answer.state === 'valid' && answer.lease
      ? { ...kept, ...newest(answer.lease, before, now) }
      : { ...kept, issued: before?.issued };
  }
  const { reason: doubt, retryAfter } = answer;
  const kept = before ?? { state: 'unknown', ...start };
  const askAt = kept.age + (retryAfter ?? 30_000 * (1 + chance));
  return { ...kept, askAt, doubt, isHeld: retryAfter !== undefined };
}

/**
 * Only a lease that is newer than all before proves that a mark in the future was a mistake of the clock. An old one that
 * comes again changes nothing.
 */
function newest(lease: Lease, before: Kept | undefined, now: number): Pick<Kept, 'lease' | 'issued' | 'mark'> {
  const { issued = 0, mark = now } = before ?? {};
  if (lease.issuedAt > issued) return { lease, issued: lease.issuedAt, mark: Math.max(now, lease.issuedAt) };
  const longer = before?.lease && before.lease.until > lease.until ? before.lease : lease;
  return { lease: longer, issued, mark: Math.max(now, mark) };
}

/** Whether the server need not be asked. */
export function isFresh(kept: Kept): boolean {
  return kept.age < kept.askAt && (kept.state !== 'valid' || kept.doubt !== undefined || isLive(kept));
}

/** Whether a license that was valid counts as valid without a new answer. */
export function isGood(kept: Kept, grace: number): boolean {
  const isInTime = kept.lease !== undefined || kept.doubt === undefined || kept.age < grace;
  return kept.state === 'valid' && isLive(kept) && isInTime;
}

/** Whether neither the license nor its lease has ended. */
function isLive(kept: Kept): boolean {
  return kept.age < lifeOf(kept) && (kept.lease === undefined || (kept.mark ?? 0) < kept.lease.until);
}

/**
 * Milliseconds from the answer to the end of the license. If it has ended by this clock, while the server called it
 * valid, then this clock is wrong, and says nothing about the end.
 */
function lifeOf({ expiresAt, checkedAt }: Pick<Kept, 'expiresAt' | 'checkedAt'>): number {
  return expiresAt != null && expiresAt > checkedAt ? expiresAt - checkedAt : Number.POSITIVE_INFINITY;
}

/** A text for a storage. `now` shows the next reader how much time has passed. */
export function write(kept: Kept, now: number): string {
  return JSON.stringify({ ...kept, seen: now });
}

/** Returns `undefined` for a text that has not the fields that rules are based on. */
export function read(text: string, now: number): Kept | undefined {
  const value = readJson(text);
  const isKept =
    ['valid', 'invalid', 'unknown'].some((state) => state === fieldOf(value, 'state')) &&
    ['checkedAt', 'age', 'askAt', 'seen'].every((name) => typeof fieldOf(value, name) === 'number');
  if (!isKept) return undefined;
  const { seen, ...kept } = value as Kept & { readonly seen: number };
  if (now >= seen) return { ...kept, age: kept.age + now - seen };
  // The clock was set back while nobody looked. So nobody knows how old the answer is.
  return { ...kept, state: kept.state === 'valid' ? 'unknown' : kept.state, age: 0, askAt: 0 };
}
