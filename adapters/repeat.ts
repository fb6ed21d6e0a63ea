import { sharedRun } from '../core/shared-run.ts';

/** A job that runs at a fixed interval. */
export interface Repeated {
  /** Runs the job now, unless it is already running. */
  now(): void;
  /** Stops the interval. Resolves when the current run has ended. */
  stop(): Promise<void>;
}

/** Runs the job every `every` milliseconds, never twice at the same time. The job must not throw. */
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
