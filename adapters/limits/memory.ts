import type { Clock } from '../../core/ports/clock.ts';
import { type Allowance, isAccountSubject, type RateLimiter } from '../../core/ports/rate-limiter.ts';
import type { Counter } from '../contracts/counter-archive.ts';

interface Window {
  used: number;
  resetAt: number;
}

/** Windows by subject, oldest first. All windows in a map have the same length, so the oldest also ends first. */
type Windows = Map<string, Window>;

type Counted = Awaited<ReturnType<RateLimiter['count']>>;

/** Milliseconds between two removals of ended windows. */
const pruneEvery = 1_000;
/** Seconds. Only windows of this length or more are saved. A shorter one ends soon after a restart anyway. */
const longFrom = 3_600;

/** The highest number of windows of one length for subjects other than accounts. */
const mostWindows = 100_000;

/** Counts in memory. Removes windows that have ended. */
export interface MemoryRateLimiter extends RateLimiter {
  /** Like `count`, but at once. */
  readonly countNow: (subject: string, allowances: readonly Allowance[], peek: boolean) => Counted;
  /** Returns the long windows of accounts that have changed since the last call, to be saved for a restart. */
  changed(): Counter[];
  size(): number;
}

/**
 * Continues with the saved windows of accounts (`kept`). For other subjects, stores at most `most` windows of one
 * length. If there are more, removes the oldest. Account windows are stored separately, so that calls from many
 * addresses cannot displace them.
 */
export function createMemoryRateLimiter(
  clock: Clock,
  kept: readonly Counter[] = [],
  most: number = mostWindows,
): MemoryRateLimiter {
  const ofAccounts = new Map<number, Windows>();
  const ofOthers = new Map<number, Windows>();
  const unsaved = new Map<string, Window>();
  let pruneAt = 0;

  for (const { id, used, resetAt } of [...kept].sort((one, other) => one.resetAt - other.resetAt)) {
    const end = id.indexOf(':');
    const subject = id.slice(end + 1);
    if (isAccountSubject(subject)) windowsOf(subject, Number(id.slice(0, end))).set(subject, { used, resetAt });
  }

  function windowsOf(subject: string, seconds: number): Windows {
    const byLength = isAccountSubject(subject) ? ofAccounts : ofOthers;
    let windows = byLength.get(seconds);
    if (windows === undefined) {
      windows = new Map();
      byLength.set(seconds, windows);
    }
    return windows;
  }

  function prune(now: number): void {
    if (now < pruneAt && pruneAt <= now + pruneEvery) return;
    pruneAt = now + pruneEvery;
    for (const [seconds, windows] of [...ofAccounts, ...ofOthers]) {
      for (const [subject, window] of windows) {
        if (isOpen(window, seconds, now)) break;
        windows.delete(subject);
      }
    }
    for (const [id, { resetAt }] of unsaved) if (resetAt <= now) unsaved.delete(id);
  }

  function add(subject: string, window: Window, windows: Windows): void {
    windows.delete(subject); // Moves a window that starts again to the end.
    windows.set(subject, window);
    if (windows.size <= most || isAccountSubject(subject)) return;
    // Remove several at once: after many deletions, finding the first entry of a Map is slow.
    let excess = windows.size - most + Math.floor(most / 1_000);
    for (const oldest of windows.keys()) {
      if (excess-- === 0) break;
      windows.delete(oldest);
    }
  }

  function count(subject: string, allowances: readonly Allowance[], peek: boolean): Counted {
    const now = clock.now();
    prune(now);
    const found = allowances.map((allowance) => {
      const windows = windowsOf(subject, allowance.seconds);
      const held = windows.get(subject);
      const window =
        held !== undefined && isOpen(held, allowance.seconds, now)
          ? held
          : { used: 0, resetAt: now + allowance.seconds * 1000 };
      return { allowance, windows, window };
    });
    const allowed = found.every(({ allowance, window }) => window.used < allowance.limit);
    if (allowed && !peek) {
      for (const { allowance, windows, window } of found) {
        if (window.used++ === 0) add(subject, window, windows);
        if (allowance.seconds >= longFrom && isAccountSubject(subject)) {
          unsaved.set(`${allowance.seconds}:${subject}`, window);
        }
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
    countNow: count,

    count: (subject, allowances, { peek = false } = {}) => Promise.resolve(count(subject, allowances, peek)),

    changed() {
      const counters = Array.from(unsaved, ([id, { used, resetAt }]) => ({ id, used, resetAt }));
      unsaved.clear();
      return counters;
    },

    size: () => [...ofAccounts.values(), ...ofOthers.values()].reduce((sum, { size }) => sum + size, 0),
  };
}

/** Whether a window is still valid. If its end is further away than its length, the clock was set back. */
function isOpen({ resetAt }: Window, seconds: number, now: number): boolean {
  return resetAt > now && resetAt <= now + seconds * 1000;
}
