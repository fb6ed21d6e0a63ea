import { setImmediate, setTimeout } from 'node:timers/promises';

/** Resolves once it holds. Throws what did not come about if that takes longer than `limit` milliseconds. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>, limit = 60_000): Promise<void> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > limit) throw new Error(`Not within ${limit / 1_000} seconds: ${what}.`);
    await setTimeout(5);
  }
}

/** Resolves as soon as it holds; that it never does shows as the test's timeout. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setImmediate();
}
