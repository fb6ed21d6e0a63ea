import { setTimeout } from 'node:timers/promises';

/** In milliseconds. */
const patience = 1_000;

/**
 * Waits at most one second for background work to stop, because it may hang. The next start does the rest of the work.
 */
export async function soon(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, setTimeout(patience, undefined, { ref: false })]);
}
