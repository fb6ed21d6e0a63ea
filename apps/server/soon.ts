import { setTimeout } from 'node:timers/promises';

/** Milliseconds. */
const patience = 1_000;

/** Waits a second at most for work that was told to end and may hang. What it has not done is done after the next start. */
export async function soon(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, setTimeout(patience, undefined, { ref: false })]);
}
