import { setTimeout } from 'node:timers/promises';
import type { Surface } from '../../adapters/http/surface.ts';

/** Milliseconds after the start. The first requests come before, and a process that serves only briefly prepares nothing. */
const later = 15_000;

/**
 * Prepares the surfaces in the background, so that no visitor waits for it. Returns a function that ends it. A failure is left
 * to the next visitor, who tries again.
 */
export function prepareLater(surfaces: readonly Pick<Surface, 'prepare'>[]): () => Promise<void> {
  const stop = new AbortController();
  const prepared = (async () => {
    await setTimeout(later, undefined, { ref: false, signal: stop.signal });
    for (const { prepare } of surfaces) await prepare?.();
  })().catch(() => undefined);
  return async () => {
    stop.abort();
    await prepared;
  };
}
