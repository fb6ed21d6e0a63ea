import type { Clock } from '../../core/ports/clock.ts';
import type { Counter } from '../../core/ports/counter-archive.ts';
import type { Allowance, RateLimiter } from '../../core/ports/rate-limiter.ts';

interface Window {
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
  const windows = new Map<string, Window>(kept.map(({ id, used, resetAt }) => [id, { used, resetAt }]));
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

  // Every call of the service comes through here: nothing is made that is not handed on.
  function count(subject: string, allowances: readonly Allowance[], peek: boolean): Counted {
    const now = clock.now();
    prune(now);
    const found = allowances.map(({ seconds }) => {
      const window = windows.get(`${seconds}:${subject}`);
      return window !== undefined && window.resetAt > now ? window : { used: 0, resetAt: now + seconds * 1000 };
    });
    const allowed = allowances.every(({ limit }, index) => (found[index]?.used ?? 0) < limit);
    const states = allowances.map(({ limit, seconds }, index) => {
      const window = found[index] ?? { used: 0, resetAt: now };
      if (allowed && !peek) {
        const id = `${seconds}:${subject}`;
        if (window.used++ === 0) windows.set(id, window);
        if (seconds >= longFrom) unsaved.add(id);
      }
      return { limit, seconds, remaining: Math.max(0, limit - window.used), resetAt: window.resetAt };
    });
    return { allowed, windows: states };
  }

  return {
    count: (subject, allowances, { peek = false } = {}) => Promise.resolve(count(subject, allowances, peek)),

    changed() {
      const counters = [...unsaved].flatMap((id) => {
        const window = windows.get(id);
        return window ? [{ id, ...window }] : [];
      });
      unsaved.clear();
      return counters;
    },

    size: () => windows.size,
  };
}
