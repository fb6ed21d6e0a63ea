import { RefusedCommand } from './action.ts';
import type { Terminal } from './terminal.ts';

/** Passes the pieces on until the command is stopped. Then it throws `RefusedCommand`. */
export type Interruptible = <T>(pieces: AsyncIterable<T>) => AsyncGenerator<T>;

/** `done` completes the message "Nothing was …", for example "exported". */
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
