import { type Answer, type Doubt, fieldOf, readJson } from './answer.ts';

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
}

const hour = 3_600_000;

/** The kept answer after a call. `chance` is from 0 to less than 1, and spreads the next calls of many sites. */
export function after(answer: Answer, before: Kept | undefined, now: number, chance: number): Kept {
  const start = { checkedAt: now, age: 0 };
  if (answer.state !== 'unknown') return { ...answer, ...start, askAt: hour * (1 - 0.2 * chance) };
  const { reason: doubt, retryAfter } = answer;
  const kept = before ?? { state: 'unknown', ...start };
  const askAt = kept.age + (retryAfter ?? 30_000 * (1 + chance));
  return { ...kept, askAt, doubt, isHeld: retryAfter !== undefined };
}

/** Whether the server need not be asked. */
export function isFresh({ state, age, askAt, doubt, ...kept }: Kept): boolean {
  return age < askAt && (state !== 'valid' || doubt !== undefined || age < lifeOf(kept));
}

/** Whether a license that was valid counts as valid without a new answer. */
export function isGood(kept: Kept, grace: number): boolean {
  return kept.state === 'valid' && kept.age < lifeOf(kept) && (kept.doubt === undefined || kept.age < grace);
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
