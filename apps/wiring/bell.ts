import { part } from './part.ts';

/** Notifies its listeners in this process of new work. */
export interface Bell {
  ring(): void;
  /** Adds a listener. Calls it at once if the bell has already rung. */
  listen(listener: () => void): void;
}

function createBell(): Bell {
  const listeners: (() => void)[] = [];
  let hasRung = false;
  return {
    ring() {
      hasRung = true;
      for (const listener of listeners) listener();
    },
    listen(listener) {
      listeners.push(listener);
      if (hasRung) listener();
    },
  };
}

/** Rings when a change of this process has added work, or deliveries of webhooks. */
export const workBell = part(createBell, {});
