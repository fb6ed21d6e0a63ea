import type { Clock } from '../../core/ports/clock.ts';
import type { Counter } from '../../core/ports/counter-archive.ts';
import type { Allowance, RateLimiter } from '../../core/ports/rate-limiter.ts';

interface Window {
  used: number;
  resetAt: number;
}

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

  function current(id: string, { seconds }: Allowance, now: number): Window {
    const window = windows.get(id);
    return window !== undefined && window.resetAt > now ? window : { used: 0, resetAt: now + seconds * 1000 };
  }

  return {
    async count(subject, allowances, { peek = false } = {}) {
      const now = clock.now();
      prune(now);
      const counted = allowances.map((allowance) => {
        const id = `${allowance.seconds}:${subject}`;
        return { id, allowance, window: current(id, allowance, now) };
      });
      const allowed = counted.every(({ allowance, window }) => window.used < allowance.limit);
      if (allowed && !peek) {
        for (const { id, allowance, window } of counted) {
          window.used++;
          windows.set(id, window);
          if (allowance.seconds >= longFrom) unsaved.add(id);
        }
      }
      return {
        allowed,
        windows: counted.map(({ allowance, window }) => ({
          ...allowance,
          remaining: Math.max(0, allowance.limit - window.used),
          resetAt: window.resetAt,
        })),
      };
    },

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
