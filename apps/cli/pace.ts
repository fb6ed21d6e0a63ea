/** The shortest pause between two calls, in milliseconds. */
export const shortest = 2_000;
/** What is left of the calls must last for this time, or until their window ends, in seconds. */
const horizon = 3_600;
/** One of so many calls is left to other programs. */
const share = 2;

/**
 * How long to wait before the next call, in milliseconds, by the header `RateLimit` of the last answer. The fewer calls are
 * left in a window, the longer: so a program can go on all day, and leaves calls to others.
 */
export function pauseAfter(rateLimit: string | null): number {
  const windows = [...(rateLimit ?? '').matchAll(/;r=(\d+);t=(\d+)/g)];
  const waits = windows.map(([, left, ends]) => {
    const wait = (share * Math.min(Number(ends), horizon)) / Number(left);
    return Math.min(wait, Number(ends)) * 1_000;
  });
  return Math.max(shortest, ...waits);
}
