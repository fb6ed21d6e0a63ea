import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Unavailable } from '../../../core/unavailable.ts';
import type { Drawn, Job } from './render-process.js';

const program = fileURLToPath(new URL('./render-process.js', import.meta.url));

/** Milliseconds. */
const patienceForStart = 30_000;

/** The size of a drawn picture, or that the picture cannot be read, or that a package for it is not installed. */
export type Rendered = Exclude<Drawn, { failed: string }> | 'not_installed';

/** What fails if a package is not installed: all pictures, or only texts in pictures. */
export type Missing = 'pictures' | 'texts';

/** Draws a picture. Throws `Unavailable` if it cannot, or takes longer than `patience` (milliseconds). */
export type Render = (job: Job, patience: number) => Promise<Rendered>;

/**
 * Draws in a process of its own: decoders of pictures take much memory, and have had holes. It starts with the first
 * picture, and ends when nothing was drawn for some seconds. Only one call may run at a time. `whenMissing` is called once
 * for each kind of work for which a package is not installed.
 */
export function createRender(whenMissing: (what: Missing) => void = () => undefined): Render {
  let child: ChildProcess | undefined;
  let isMissing = false;
  let hasNoFont = false;

  /** Returns the process when it is ready, or `undefined` if the package cannot be loaded. */
  async function started(): Promise<ChildProcess | undefined> {
    if (child?.connected) return child;
    const made = fork(program, { env: {}, execArgv: ['--max-old-space-size=64'], stdio: 'ignore' });
    // Without this, an error while nothing waits would end the server.
    made.on('error', () => undefined);
    made.once('exit', () => {
      if (child === made) child = undefined;
    });
    try {
      isMissing = (await answerOf(made, patienceForStart)) === 'not_installed';
    } catch (error) {
      made.kill('SIGKILL');
      throw error;
    }
    if (isMissing) {
      whenMissing('pictures');
      return undefined;
    }
    child = made;
    return made;
  }

  async function answered(job: Job, patience: number): Promise<Rendered> {
    const process = await started();
    if (process === undefined) return 'not_installed';
    process.ref();
    process.channel?.ref();
    try {
      process.send(job);
      const drawn = (await answerOf(process, patience)) as Drawn;
      if (drawn === 'no_font') {
        if (!hasNoFont) whenMissing('texts');
        hasNoFont = true;
      } else if ('failed' in drawn) throw new Error(drawn.failed);
      return drawn;
    } catch (error) {
      process.kill('SIGKILL');
      if (child === process) child = undefined;
      throw error;
    } finally {
      process.unref();
      process.channel?.unref();
    }
  }

  return async (job, patience) => {
    if (isMissing) return 'not_installed';
    try {
      return await answered(job, patience).catch((error) => {
        // It ended by itself, because it had no work, just when this job came.
        if (error instanceof Ended) return answered(job, patience);
        throw error;
      });
    } catch (cause) {
      throw new Unavailable('The picture cannot be drawn now.', { cause });
    }
  };
}

/** The process ended before it answered. */
class Ended extends Error {
  override readonly name = 'Ended';
}

/** Returns the next message of the process. Throws `Ended`, or another error if it takes too long. */
async function answerOf(process: ChildProcess, patience: number): Promise<unknown> {
  const end = new AbortController();
  const late = setTimeout(() => end.abort(new Error('It took too long.')), patience);
  const gone = () => end.abort(new Ended());
  process.once('exit', gone);
  try {
    if (process.exitCode !== null || process.signalCode !== null) throw new Ended();
    const [message] = await once(process, 'message', { signal: end.signal });
    return message;
  } catch (error) {
    throw end.signal.aborted ? end.signal.reason : error;
  } finally {
    clearTimeout(late);
    process.off('exit', gone);
  }
}
