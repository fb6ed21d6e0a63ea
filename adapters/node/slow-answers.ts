import { setTimeout } from 'node:timers/promises';
import { Forced, slowFor } from '../../core/licensing/forced.ts';
import type { Pause } from '../../core/ports/pause.ts';
import { second } from '../../core/time.ts';

/** The most slow answers that wait at the same time: in one process, and for one license. Each holds a connection. */
export const mostSlow = { all: 20, ofLicense: 5 };

const step = second / 4;

/**
 * Returns a function that waits before a slow answer. If too many wait already (see `mostSlow`), it throws, and the call is answered with 503. When the process stops
 * (`accepts` returns false), the wait ends early.
 */
export function createSlowAnswers({
  accepts,
  milliseconds = slowFor,
}: {
  accepts(): boolean;
  readonly milliseconds?: number;
}): Pause {
  const waiting = new Map<string, number>();
  let all = 0;
  const count = (key: string, by: 1 | -1) => {
    const own = (waiting.get(key) ?? 0) + by;
    all += by;
    if (own === 0) waiting.delete(key);
    else waiting.set(key, own);
  };
  return async (key) => {
    if (all >= mostSlow.all || (waiting.get(key) ?? 0) >= mostSlow.ofLicense) throw new Forced('503');
    count(key, 1);
    try {
      for (let left = milliseconds; left > 0 && accepts(); left -= step) await setTimeout(Math.min(step, left));
    } finally {
      count(key, -1);
    }
  };
}
