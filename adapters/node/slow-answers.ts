import { setTimeout } from 'node:timers/promises';
import { Forced } from '../../core/licensing/forced.ts';
import type { Pause } from '../../core/ports/pause.ts';
import { second } from '../../core/time.ts';

/** The most slow answers of a process at a time. Each holds a connection. */
export const mostSlow = 20;

/**
 * Makes the waits of answers that are forced to be slow: 10 seconds, longer than sites wait for one. If `mostSlow` wait, further ones are refused as if the
 * service were down.
 */
export function createSlowAnswers(milliseconds = 10 * second): Pause {
  let waiting = 0;
  return async () => {
    if (waiting >= mostSlow) throw new Forced('503');
    waiting += 1;
    try {
      await setTimeout(milliseconds, undefined, { ref: false });
    } finally {
      waiting -= 1;
    }
  };
}
