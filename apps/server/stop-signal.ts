import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { StoppedEarly, type StopSignalName, stopSignals } from './stopped-early.ts';

/** Resolves with the signal when the process is told to stop. Further signals change nothing: what is in flight is finished. */
export function stopSignal(): Promise<StopSignalName> {
  return new Promise((resolve) => {
    for (const signal of stopSignals) process.on(signal, resolve);
  });
}

/**
 * Waits for the start, which may wait for others itself. Throws `StoppedEarly` at once if the signal comes first: nothing is in
 * flight, and the process may end as it is.
 */
export async function startedBefore<T>(signal: Promise<StopSignalName>, start: Promise<T>): Promise<T> {
  const stopped = signal.then((name) => {
    throw new StoppedEarly(name);
  });
  return await Promise.race([start, stopped]);
}

/** Waits for the signal, and throws what keeps the service from going on if that comes first. */
export async function endOf(parts: Parts, signal: Promise<string>): Promise<string> {
  const { failed } = await parts.get(t.lifecycle);
  return await Promise.race([
    signal,
    failed.then((error) => {
      throw error;
    }),
  ]);
}
