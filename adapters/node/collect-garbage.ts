import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects all garbage at once, and gives its memory back to the system. The process does nothing else meanwhile. */
export function collectGarbage(): void {
  const flag = '--expose-gc';
  setFlagsFromString(flag);
  const collect: () => void = runInNewContext('gc');
  setFlagsFromString(flag.replace('--', '--no-'));
  collect();
}
