import type { WriteStream } from 'node:tty';
import { systemClock } from '../../adapters/node/clock.ts';

/** How far a long command is, told on standard error. */
export interface Progress {
  /** Begins a step. */
  step(text: string): void;
  /** How far the step is: `total` is left out where nobody knows it. */
  at(done: number, total?: number): void;
  end(): void;
}

const linesEvery = 10_000;
const redrawnEvery = 100;

/** On a terminal one line that is written anew; elsewhere a plain line for each step, and one every ten seconds. */
export function createProgress(stream: Pick<WriteStream, 'write' | 'isTTY'>, now = systemClock.now): Progress {
  let step = '';
  let told = 0;
  const tell = (text: string) => {
    told = now();
    stream.write(stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
  };
  return {
    step(text) {
      step = text;
      tell(text);
    },
    at(done, total) {
      if (now() - told < (stream.isTTY ? redrawnEvery : linesEvery)) return;
      tell(`${step}: ${done}${total === undefined ? '' : ` of ${total}`}`);
    },
    end() {
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}

/** Does the work, and tells a sentence on standard error if it takes longer than so many milliseconds. */
export async function tellingIfLong<T>(
  text: string,
  work: Promise<T>,
  stderr: Pick<WriteStream, 'write'>,
  after = 5_000,
): Promise<T> {
  const timer = setTimeout(() => stderr.write(`${text}\n`), after);
  return await work.finally(() => clearTimeout(timer));
}
