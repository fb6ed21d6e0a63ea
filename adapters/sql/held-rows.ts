import { Unavailable } from '../../core/unavailable.ts';

/**
 * A queue of callers who wait for rows that another session has locked. A name identifies a row. For each name, one
 * caller retries for all callers.
 */
export interface HeldRows {
  isHeld(name: string): boolean;
  /** Whether no name is held. */
  readonly isEmpty: boolean;
  /**
   * Resolves when it is this caller's turn to retry, or when the name is free. Throws `Unavailable` if too many wait,
   * or at `until` (in `performance.now()` time).
   */
  wait(name: string, until: number): Promise<void>;
  /** Must be called after each retry, with its outcome. */
  report(name: string, outcome: 'held' | 'free' | 'failed'): void;
  /** Resolves when nobody waits any more. */
  drain(): Promise<void>;
}

interface Waiting {
  readonly until: number;
  resolve(): void;
  reject(error: unknown): void;
}

interface Name {
  waiting: Waiting[];
  /** Whether a caller is retrying now. */
  isTried: boolean;
}

/** The maximum number of names that are retried at the same time. They fit into one batch of verifications. */
const retriedAtOnce = 500;

/** `every`: milliseconds between two retries. `waiting`: the maximum number of waiting callers. */
export function createHeldRows({
  waiting: limit,
  every,
}: {
  readonly waiting: number;
  readonly every: number;
}): HeldRows {
  const names = new Map<string, Name>();
  let count = 0;
  let isLooking = false;
  let drained: (() => void)[] = [];

  function forgetIfIdle(name: string, one: Name): void {
    if (one.waiting.length === 0 && !one.isTried) names.delete(name);
    if (names.size > 0) return;
    for (const resolve of drained) resolve();
    drained = [];
  }

  function giveUp(one: Name, now: number): void {
    const late = one.waiting.filter(({ until }) => until <= now);
    if (late.length === 0) return;
    one.waiting = one.waiting.filter(({ until }) => until > now);
    count -= late.length;
    for (const { reject } of late) reject(new Unavailable('Another session has locked the rows of this domain.'));
  }

  function look(): void {
    isLooking = false;
    const now = performance.now();
    let retried = 0;
    for (const [name, one] of [...names]) {
      giveUp(one, now);
      const next = one.isTried || retried === retriedAtOnce ? undefined : one.waiting.shift();
      if (next !== undefined) {
        retried++;
        count--;
        one.isTried = true;
        names.delete(name); // Moves it to the end, so that other names come first next time.
        names.set(name, one);
        next.resolve();
      }
      forgetIfIdle(name, one);
    }
    lookLater();
  }

  function lookLater(): void {
    if (count === 0 || isLooking) return;
    isLooking = true;
    setTimeout(look, every);
  }

  return {
    isHeld: (name) => names.has(name),
    get isEmpty() {
      return names.size === 0;
    },
    wait(name, until) {
      if (count >= limit) return Promise.reject(new Unavailable('Too many requests are waiting.'));
      const one = names.get(name) ?? { waiting: [], isTried: false };
      names.set(name, one);
      count++;
      lookLater();
      return new Promise((resolve, reject) => one.waiting.push({ until, resolve, reject }));
    },
    report(name, outcome) {
      const one = names.get(name);
      if (one === undefined) return;
      one.isTried = false;
      if (outcome === 'free') {
        count -= one.waiting.length;
        for (const { resolve } of one.waiting) resolve();
        one.waiting = [];
      }
      forgetIfIdle(name, one);
    },
    async drain() {
      if (names.size > 0) await new Promise<void>((resolve) => drained.push(resolve));
    },
  };
}
