import { setTimeout } from 'node:timers/promises';
import type { OpenService } from './open-service.ts';

/** Milliseconds that requests in flight may take after the port is closed. */
export const grace = 8_000;

/**
 * Stops a service without cutting off clients. For `delay` seconds it still answers, but reports that it is not ready
 * and closes each connection after its answer. Calls `others` at the same time, so that background work does not delay
 * the stop.
 */
export async function stopService(
  service: OpenService,
  delay: number,
  others: readonly (() => Promise<void>)[],
): Promise<void> {
  if (delay > 0) await service.drain();
  const ended = Promise.allSettled(others.map((end) => end()));
  if (delay > 0) await setTimeout(delay * 1000);
  await service.close(grace, ended);
  for (const end of await ended) if (end.status === 'rejected') throw end.reason;
}
