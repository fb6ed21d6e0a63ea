import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { Surface } from '../../adapters/http/surface.ts';
import { collectGarbage } from '../../adapters/node/collect-garbage.ts';

/** Milliseconds after the start. The first requests come before, and a process that serves only briefly prepares nothing. */
const later = 15_000;

/** Milliseconds of quiet after that. Earlier, V8 keeps the room for new objects while many are made. */
const quiet = 15_000;
/** Above this part of the time, the process has other work than to collect garbage. */
const busy = 0.2;

/**
 * Prepares the surfaces in the background, so that no visitor waits for it. Returns a function that ends it. A failure is left
 * to the next visitor, who tries again. Afterwards it gives back the memory of the start and of this work, which V8 would keep.
 */
export function prepareLater(surfaces: readonly Pick<Surface, 'prepare'>[]): () => Promise<void> {
  const stop = new AbortController();
  const options = { ref: false, signal: stop.signal };
  const prepared = (async () => {
    await setTimeout(later, undefined, options);
    for (const { prepare } of surfaces) await prepare?.();
    for (let isBusy = true; isBusy; ) {
      const before = performance.eventLoopUtilization();
      await setTimeout(quiet, undefined, options);
      isBusy = performance.eventLoopUtilization(before).utilization > busy;
    }
    collectGarbage();
  })().catch(() => undefined);
  return async () => {
    stop.abort();
    await prepared;
  };
}
