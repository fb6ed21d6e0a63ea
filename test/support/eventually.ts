import { setImmediate, setTimeout } from 'node:timers/promises';

/** Resolves when the condition is true. Throws after `limit` milliseconds; `what` describes the condition. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>, limit = 60_000): Promise<void> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > limit) throw new Error(`Not within ${limit / 1_000} seconds: ${what}.`);
    await setTimeout(5);
  }
}

/** Resolves as soon as the condition is true. If it never is, the test times out. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setImmediate();
}
