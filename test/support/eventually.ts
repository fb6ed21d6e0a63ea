import { setImmediate, setTimeout } from 'node:timers/promises';

/** Milliseconds. A slow machine that does much else at the same time needs them. */
const limit = 300_000;

/** Resolves when the condition is true. Throws after some minutes; `what` describes the condition. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > limit) throw new Error(`Not within ${limit / 1_000} seconds: ${what}.`);
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
