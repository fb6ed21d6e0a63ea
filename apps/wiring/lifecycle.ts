import { part } from './part.ts';

/** Whether the process accepts work. Once it stops, it never accepts work again. */
export interface Lifecycle {
  accepts(): boolean;
  stop(): void;
  /** Reports that the process cannot do its work any more and must end with this error. */
  fail(error: Error): void;
  /** Resolves with the error that the process must end with. Without one, it never resolves. */
  readonly failed: Promise<Error>;
}

function createLifecycle(): Lifecycle {
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

export const lifecycle = part(createLifecycle, {});
