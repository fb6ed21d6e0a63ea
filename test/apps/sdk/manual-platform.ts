import { type GuardStorage, type Platform, thisPlatform } from '../../../apps/sdk/platform.ts';

/** A platform whose clock the test sets. Its timers run a thousand times as fast. */
export interface ManualPlatform extends Platform {
  /** Time goes by. */
  pass(milliseconds: number): void;
  /** The user sets the clock. */
  setClock(by: number): void;
  /** The page is loaded again: the ticks start anew. */
  reload(): ManualPlatform;
  readonly complaints: unknown[];
}

/** Milliseconds that no test waits for. With the fast timers of the tests they are a minute. */
export const patient = 60_000_000;

export function manualPlatform(parts: Partial<Platform> = {}, start = Date.UTC(2026, 0, 1)): ManualPlatform {
  let [now, ticks] = [start, 0];
  const complaints: unknown[] = [];
  return {
    ...thisPlatform(),
    now: () => now,
    ticks: () => ticks,
    later(milliseconds, act) {
      const timer = setTimeout(act, milliseconds / 1000);
      return () => clearTimeout(timer);
    },
    complain: (fault) => complaints.push(fault),
    complaints,
    pass(milliseconds) {
      now += milliseconds;
      ticks += milliseconds;
    },
    setClock(by) {
      now += by;
    },
    reload: () => manualPlatform(parts, now),
    ...parts,
  };
}

/** A storage of its own for a test. */
export function ownStorage(): GuardStorage & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return { texts, get: (key) => texts.get(key), set: (key, text) => texts.set(key, text) };
}
