/** Whether the process still takes work; it stops doing so once, and for good. */
export interface Lifecycle {
  accepts(): boolean;
  stop(): void;
}

export function createLifecycle(): Lifecycle {
  let accepting = true;
  return {
    accepts: () => accepting,
    stop: () => {
      accepting = false;
    },
  };
}
