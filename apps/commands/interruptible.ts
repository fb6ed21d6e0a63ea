import { RefusedCommand } from './action.ts';
import type { Terminal } from './terminal.ts';

/** Passes on what comes, until somebody tells the command to stop: then it throws `RefusedCommand`. */
export type Interruptible = <T>(pieces: AsyncIterable<T>) => AsyncGenerator<T>;

/** `done` is what was not done then, as in "Nothing was exported". */
export function interruptible(terminal: Terminal, done: string): Interruptible {
  let stopped: string | undefined;
  terminal.stopSignal().then((signal) => {
    stopped = signal;
  });
  return async function* (pieces) {
    for await (const piece of pieces) {
      if (stopped !== undefined) throw new RefusedCommand(`Nothing was ${done}: stopped by ${stopped}.`);
      yield piece;
    }
  };
}
