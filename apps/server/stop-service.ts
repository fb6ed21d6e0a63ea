import { setTimeout } from 'node:timers/promises';
import type { OpenService } from './open-service.ts';

/** Milliseconds that requests in flight get once the port is closed. */
export const grace = 8_000;

/**
 * Stops a service without cutting off clients: for `delay` seconds it still answers, but is not ready and keeps no connection.
 * What else runs in the process (`others`) is ended at the same time, so that none of it delays the stop.
 */
export async function stopService(
  service: OpenService,
  delay: number,
  others: readonly (() => Promise<void>)[] = [],
): Promise<void> {
  if (delay > 0) await service.drain();
  const ended = Promise.allSettled(others.map((end) => end()));
  if (delay > 0) await setTimeout(delay * 1000);
  await service.close(grace, ended);
  for (const end of await ended) if (end.status === 'rejected') throw end.reason;
}
