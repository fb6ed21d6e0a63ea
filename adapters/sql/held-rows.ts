import { Unavailable } from '../../core/unavailable.ts';

/** Callers who wait for rows that another session holds. For each name, one of them tries again for all. */
export interface HeldRows {
  isHeld(name: string): boolean;
  /** Whether any name is held. */
  readonly isEmpty: boolean;
  /**
   * Waits until it is this caller's turn to try, or the name is free. Throws `Unavailable` if too many wait, or at `until` (by
   * `performance.now()`).
   */
  wait(name: string, until: number): Promise<void>;
  /** Call this after each try: the name is still held, it is free, or the try failed. */
  tell(name: string, outcome: 'held' | 'free' | 'failed'): void;
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
  /** Somebody is trying at the moment. */
  isTried: boolean;
}

/** Names that are tried again at once: a batch of verifications may take them all. */
const retriedAtOnce = 500;

/** `every`: milliseconds between two tries. */
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
    for (const { reject } of late) reject(new Unavailable('Somebody else holds the rows of this domain.'));
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
        names.delete(name); // Others have their turn first, next time.
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
    tell(name, outcome) {
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
