/** The shortest pause between two calls, in milliseconds. */
export const shortest = 2_000;
/** What is left of the calls must last for this time, or until their window ends, in seconds. */
const horizon = 3_600;
/** A pause is so many times as long as the calls would allow. So half of them are left to other programs. */
const share = 2;
/** The calls of each window that are left to other programs in any case. */
const reserve = 5;
/** After this time without an event, the calls must last until their window ends. In milliseconds. */
const soonIdle = 10 * 60_000;
/** The longest pause because of that, in seconds. */
const longestIdle = 60;

/**
 * How long to wait before the next call, in milliseconds, by the header `RateLimit` of the last answer. The fewer calls are
 * left in a window, the longer: so a program can go on all day, and leaves calls to others. `idle`: how long ago the last
 * event came, in milliseconds.
 */
export function pauseAfter(rateLimit: string | null, idle: number): number {
  const windows = [...(rateLimit ?? '').matchAll(/;r=(\d+);t=(\d+)/g)];
  const waits = windows.map(([, remaining, t]) => {
    const ends = Number(t);
    const left = Number(remaining) - reserve;
    if (left <= 0) return ends;
    const wait = (share * Math.min(ends, horizon)) / left;
    const idleWait = idle < soonIdle ? 0 : Math.min(longestIdle, (share * ends) / left);
    return Math.min(Math.max(wait, idleWait), ends);
  });
  return Math.max(shortest, ...waits.map((seconds) => seconds * 1_000));
}
