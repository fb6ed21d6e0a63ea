import type { Logger } from 'pino';

/** Logs the failures of work that is done again and again. */
export interface FailureLog {
  /** Logs a failure, but not if the last one had the same reason. So an outage of the database is one line. */
  failed(error: unknown): void;
  /** Forgets the last failure: the next one is logged, whatever its reason. */
  forget(): void;
}

/** Each failure is logged with this message. */
export function createFailureLog(log: Pick<Logger, 'error'>, message: string): FailureLog {
  let last: string | undefined;
  return {
    failed(error) {
      const reason = String(error);
      if (last !== reason) log.error({ err: error }, message);
      last = reason;
    },
    forget() {
      last = undefined;
    },
  };
}
