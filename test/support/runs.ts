import { runsLong } from './required-service.ts';

/**
 * Returns how many random cases a property is checked with: `all` with TEST_LONG, else a fifth of them, but at least 5.
 * The examples of a property come first, so `all` must be much larger than their number.
 */
export function runs(all: number): number {
  return runsLong ? all : Math.min(all, Math.max(5, Math.ceil(all / 5)));
}
