import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Unavailable } from '../core/unavailable.ts';

/** Milliseconds. */
const patienceForStart = 30_000;

/** Sends one job to the process, and waits for its answer. Throws `Unavailable` if it cannot, or takes longer than `patience` (milliseconds). */
export type RunJob<Job, Done> = (job: Job, patience: number) => Promise<Done | 'not_installed'>;

interface JobProcess {
  /** The path of the program. It first sends `ready` or `not_installed`, then one answer for each job. */
  readonly program: string;
  /** Megabytes of memory for its objects. */
  readonly memory: number;
  /** The message if a job fails. */
  readonly failure: string;
  /** Called once, if a package is not installed. */
  whenMissing(): void;
}

/**
 * Runs jobs in a process of its own. It starts with the first job, ends when it had no work for some seconds, and knows no
 * secrets. Only one job may run at a time.
 */
export function createJobProcess<Job extends object, Done>({
  program,
  memory,
  failure,
  whenMissing,
}: JobProcess): RunJob<Job, Exclude<Done, { failed: string }>> {
  type Good = Exclude<Done, { failed: string }>;
  let child: ChildProcess | undefined;
  let isMissing = false;

  /** Returns the process when it is ready, or `undefined` if a package cannot be loaded. */
  async function started(): Promise<ChildProcess | undefined> {
    if (child?.connected) return child;
    const execArgv = [`--max-old-space-size=${memory}`];
    const made = fork(program, { env: {}, execArgv, stdio: 'ignore', serialization: 'advanced' });
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
      whenMissing();
      return undefined;
    }
    child = made;
    return made;
  }

  async function answered(job: Job, patience: number): Promise<Good | 'not_installed'> {
    const process = await started();
    if (process === undefined) return 'not_installed';
    process.ref();
    process.channel?.ref();
    try {
      process.send(job);
      const done = await answerOf(process, patience);
      if (typeof done === 'object' && done !== null && 'failed' in done) throw new Error(String(done.failed));
      return done as Good;
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
      throw new Unavailable(failure, { cause });
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
