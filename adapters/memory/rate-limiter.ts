import type { Clock } from '../../core/ports/clock.ts';
import type { Counter } from '../../core/ports/counter-archive.ts';
import type { Allowance, RateLimiter } from '../../core/ports/rate-limiter.ts';

interface Window {
  readonly id: string;
  used: number;
  resetAt: number;
}

type Counted = Awaited<ReturnType<RateLimiter['count']>>;

const pruneEvery = 60_000;
/** Seconds. A shorter window is over before a restart matters. */
const longFrom = 3_600;

/** Fixed windows in a map, which forgets the windows that are over. */
export interface MemoryRateLimiter extends RateLimiter {
  /** The long windows that were counted in since this was asked last, to be kept over a restart. */
  changed(): Counter[];
  size(): number;
}

/** Goes on from the windows that were kept. */
export function createMemoryRateLimiter(clock: Clock, kept: readonly Counter[] = []): MemoryRateLimiter {
  const windows = new Map<string, Window>(kept.map((counter) => [counter.id, { ...counter }]));
  const unsaved = new Set<string>();
  let pruneAt = 0;

  function prune(now: number): void {
    if (now < pruneAt) return;
    pruneAt = now + pruneEvery;
    for (const [id, window] of windows) {
      if (window.resetAt > now) continue;
      windows.delete(id);
      unsaved.delete(id);
    }
  }

  function current(id: string, { seconds }: Allowance, now: number): Window {
    const window = windows.get(id);
    return window !== undefined && window.resetAt > now ? window : { id, used: 0, resetAt: now + seconds * 1000 };
  }

  function count(subject: string, allowances: readonly Allowance[], peek: boolean): Counted {
    const now = clock.now();
    prune(now);
    const found = allowances.map((allowance) => ({
      allowance,
      window: current(`${allowance.seconds}:${subject}`, allowance, now),
    }));
    const allowed = found.every(({ allowance, window }) => window.used < allowance.limit);
    if (allowed && !peek) {
      for (const { allowance, window } of found) {
        if (window.used++ === 0) windows.set(window.id, window);
        if (allowance.seconds >= longFrom) unsaved.add(window.id);
      }
    }
    return {
      allowed,
      windows: found.map(({ allowance: { limit, seconds }, window: { used, resetAt } }) => {
        return { limit, seconds, remaining: Math.max(0, limit - used), resetAt };
      }),
    };
  }

  return {
    count: (subject, allowances, { peek = false } = {}) => Promise.resolve(count(subject, allowances, peek)),

    changed() {
      const counters = [...unsaved].flatMap((id) => {
        const window = windows.get(id);
        return window ? [{ ...window }] : [];
      });
      unsaved.clear();
      return counters;
    },

    size: () => windows.size,
  };
}
