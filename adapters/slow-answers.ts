import { setTimeout } from 'node:timers/promises';
import { Forced, type Pause } from '../core/licensing/forced.ts';
import { second } from '../core/time.ts';

/** How long a slow answer takes, in milliseconds: longer than sites wait for one. */
const length = 10 * second;

/** The most slow answers of a process at a time. Each holds a connection. */
const most = 20;

/** Makes the waits of answers that are forced to be slow. If too many wait, further ones are refused as if the service were down. */
export function createSlowAnswers(): Pause {
  let waiting = 0;
  return async () => {
    if (waiting >= most) throw new Forced('503');
    waiting += 1;
    try {
      await setTimeout(length, undefined, { ref: false });
    } finally {
      waiting -= 1;
    }
  };
}
