import { sharedRun } from '../core/shared-run.ts';

/** A job that is done again and again. */
export interface Repeated {
  /** Starts it now, if it is not running. */
  now(): void;
  /** Starts it no more. Resolves when the run under way has ended. */
  stop(): Promise<void>;
}

/** Does the job after each `every` milliseconds, never twice at once. The job must not throw. */
export function repeat(job: () => Promise<void>, every: number): Repeated {
  const run = sharedRun(job);
  let last: Promise<void> | undefined;
  const now = () => {
    last = run();
  };
  const timer = setInterval(now, every).unref();
  return {
    now,
    async stop() {
      clearInterval(timer);
      await last;
    },
  };
}
