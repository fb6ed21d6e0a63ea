import type { Event } from '../events/event.ts';
import type { Refused } from '../refusal.ts';

/** The result of a decision. */
export interface Change<T> {
  readonly after: T;
  /** Describes the change. Without it, nothing was changed and nothing is written. */
  readonly event?: Event;
}

/**
 * Loads the object with this id, calls `decide`, and saves the result with its event in one transaction. No other
 * process can change the object in between. A refusal writes nothing. Returns the stored object, or `undefined` if the
 * id is unknown. `decide` may be called more than once; only the last result counts.
 */
export type ChangeById<Id, T> = <R extends string = never>(
  id: Id,
  decide: (before: T) => Change<T> | Refused<R>,
) => Promise<T | Refused<R> | undefined>;
