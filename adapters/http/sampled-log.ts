/** Lines of one kind that are written in each window; further ones are only counted. */
const most = 50;
/** Milliseconds. */
const window = 1_000;

/** Decides which of many lines of a kind are written. */
export interface Sampling {
  /** Whether to write one more line of this kind. */
  admits(kind: string): boolean;
}

/** Admits 50 lines of each kind a second. `omitted` is told at the end of the second how many more there were. */
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
