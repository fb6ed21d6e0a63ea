import type { Event } from '../events/event.ts';
import type { Refused } from '../refusal.ts';

/** What a decision makes of something. */
export interface Change<T> {
  readonly after: T;
  /** Tells what was changed. If there is none, nothing was changed, and nothing is written. */
  readonly event?: Event;
}

/**
 * Loads what has this id, lets `decide` decide, and saves all but the id, together with the event. Nothing else changes it between
 * load and save, in this process or another. A refusal changes nothing and writes no event. Returns what is stored now, or
 * `undefined` if there is nothing with this id. `decide` may be called more than once; only its last answer counts.
 */
export type ChangeById<Id, T> = <R extends string = never>(
  id: Id,
  decide: (before: T) => Change<T> | Refused<R>,
) => Promise<T | Refused<R> | undefined>;
