/** The maximum number of log lines of one kind in a window. Further lines are only counted. */
const most = 50;
/** The length of a window, in milliseconds. */
const window = 1_000;

/** Limits the log lines of each kind. */
export interface Sampling {
  /** Returns whether to write one more line of this kind. */
  admits(kind: string): boolean;
}

/**
 * Admits 50 lines of each kind a second. At the end of the second, calls `omitted` with the number of further lines.
 */
export function createSampling(omitted: (kind: string, count: number) => void): Sampling {
  let counts = new Map<string, number>();
  let isOpen = false;

  function end(): void {
    isOpen = false;
    const ended = counts;
    counts = new Map();
    for (const [kind, count] of ended) if (count > most) omitted(kind, count - most);
  }

  return {
    admits(kind) {
      if (!isOpen) {
        isOpen = true;
        setTimeout(end, window).unref();
      }
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return count <= most;
    },
  };
}
