import { setImmediate } from 'node:timers/promises';

/** For so many milliseconds lines are read before other work of the process runs. */
const longestStretch = 10;

/** Returns a function that lets other work run if enough time has passed since it last did. */
export function createPause(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began <= longestStretch) return;
    await setImmediate();
    began = performance.now();
  };
}
