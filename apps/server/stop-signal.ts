// Not from tokens.ts, which loads the whole service: every command loads this file, before it can report an error.
import type { Parts } from '../wiring/compose.ts';
import { lifecycle } from '../wiring/lifecycle.ts';
import { StoppedEarly, type StopSignalName, stopSignals } from './start-failures.ts';

/** Resolves with the first signal to stop. Ignores further signals, so that requests in flight are finished. */
export function stopSignal(): Promise<StopSignalName> {
  return new Promise((resolve) => {
    for (const signal of stopSignals) process.on(signal, resolve);
  });
}

/**
 * Waits for the start. Throws `StoppedEarly` at once if the signal comes first. No request is in flight then, so the
 * process may end without waiting for the start.
 */
export async function startedBefore<T>(signal: Promise<StopSignalName>, start: Promise<T>): Promise<T> {
  const stopped = signal.then((name) => {
    throw new StoppedEarly(name);
  });
  return await Promise.race([start, stopped]);
}

/** Waits for the signal. Throws if the service fails permanently before that. */
export async function endOf(parts: Parts, signal: Promise<string>): Promise<string> {
  const { failed } = await parts.get(lifecycle);
  return await Promise.race([
    signal,
    failed.then((error) => {
      throw error;
    }),
  ]);
}
