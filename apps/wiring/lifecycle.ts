/** Whether the process still takes work; it stops doing so once, and for good. */
export interface Lifecycle {
  accepts(): boolean;
  stop(): void;
  /** Says that the process cannot do its work any more and must end with this error. */
  fail(error: Error): void;
  /** Resolves with the error that the process must end with, if there ever is one. */
  readonly failed: Promise<Error>;
}

export function createLifecycle(): Lifecycle {
  let accepting = true;
  let end: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    end = resolve;
  });
  return {
    accepts: () => accepting,
    stop: () => {
      accepting = false;
    },
    fail: (error) => {
      accepting = false;
      end(error);
    },
    failed,
  };
}
