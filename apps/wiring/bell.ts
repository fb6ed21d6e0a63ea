/** Tells the listener in this process that there is something to do. */
export interface Bell {
  ring(): void;
  /** Replaces the listener. Calls the first one at once if the bell has already rung. */
  listen(listener: () => void): void;
}

export function createBell(): Bell {
  let isMissed = false;
  let heard: () => void = () => {
    isMissed = true;
  };
  return {
    ring: () => heard(),
    listen: (listener) => {
      heard = listener;
      if (isMissed) listener();
      isMissed = false;
    },
  };
}
