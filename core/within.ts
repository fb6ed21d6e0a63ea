import type { Abort } from './abort.ts';

/**
 * Runs work that needs services outside, with one deadline for all of it: every call, every try and every wait in a
 * queue. `until` is aborted at the deadline. The work must end soon then, and throw `Unavailable`.
 */
export type Within = <T>(work: (until: Abort) => Promise<T>) => Promise<T>;
