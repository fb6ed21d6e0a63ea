import { setImmediate, setTimeout } from 'node:timers/promises';
import { longestWait } from './longest-wait.ts';

/** Resolves when the condition is true. Throws after `longestWait`; `what` describes the condition. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > longestWait) throw new Error(`Not within ${longestWait / 1_000} seconds: ${what}.`);
    await setTimeout(5);
  }
}

/** How often `until` looks at each turn of the event loop, before it looks every two milliseconds. */
const turns = 20;

/**
 * Resolves soon after the condition is true. If it never is, the test times out. Most conditions need a few turns. Those that wait for
 * longer must not take the processor from what they wait for.
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await holds()); turn++) await (turn < turns ? setImmediate() : setTimeout(2));
}
