import type { Abort } from '../abort.ts';
import type { UserId } from '../id.ts';

/** Whose work it is. */
export type Account = UserId | 'operator';

/**
 * Runs what writes or reads many rows: one at a time for each account, in order of the calls, and a few at a time for all
 * accounts together, which then take turns. Throws `Unavailable` if too much work waits. If `stop` aborts while the work
 * waits, the work never runs, frees its place, and the reason is thrown.
 */
export type LongWork = <T>(account: Account, work: () => Promise<T>, stop?: Abort) => Promise<T>;
