import type { Logger } from 'pino';

/** Logs the failures of work that is done again and again. */
export interface FailureLog {
  /** Logs a failure, but not if the work failed before for the same reason: it fails until the database is back. */
  failed(error: unknown): void;
  /** The next failure is logged again. */
  worked(): void;
}

/** Logs with this message. */
export function createFailureLog(log: Pick<Logger, 'error'>, message: string): FailureLog {
  let last: string | undefined;
  return {
    failed(error) {
      const reason = String(error);
      if (last !== reason) log.error({ err: error }, message);
      last = reason;
    },
    worked() {
      last = undefined;
    },
  };
}
