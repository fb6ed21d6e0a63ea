/** Tells the one who listens in this process that there is something to do. */
export interface Bell {
  ring(): void;
  /** Replaces the listener. */
  listen(listener: () => void): void;
}

export function createBell(): Bell {
  let heard: () => void = () => undefined;
  return {
    ring: () => heard(),
    listen: (listener) => {
      heard = listener;
    },
  };
}
