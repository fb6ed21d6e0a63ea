import type { WriteStream } from 'node:tty';
import { systemClock } from '../../adapters/node/clock.ts';

/** Shows the progress of a long command on standard error. */
export interface Progress {
  /** Begins a step. */
  step(text: string): void;
  /** Shows how far the step is. `total` is omitted if it is unknown. */
  at(done: number, total?: number): void;
  end(): void;
}

const linesEvery = 10_000;
const redrawnEvery = 100;

/** On a terminal, redraws one line. Elsewhere, prints a line for each step, and one every ten seconds. */
export function createProgress(stream: Pick<WriteStream, 'write' | 'isTTY'>, now = systemClock.now): Progress {
  let step = '';
  let printedAt = 0;
  const print = (text: string) => {
    printedAt = now();
    stream.write(stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
  };
  return {
    step(text) {
      step = text;
      print(text);
    },
    at(done, total) {
      if (now() - printedAt < (stream.isTTY ? redrawnEvery : linesEvery)) return;
      print(`${step}: ${done}${total === undefined ? '' : ` of ${total}`}`);
    },
    end() {
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}

/** Waits for the work, and prints the text on standard error if it takes longer than `after` milliseconds. */
export async function warnIfLong<T>(
  text: string,
  work: Promise<T>,
  stderr: Pick<WriteStream, 'write'>,
  after = 5_000,
): Promise<T> {
  const timer = setTimeout(() => stderr.write(`${text}\n`), after);
  return await work.finally(() => clearTimeout(timer));
}
