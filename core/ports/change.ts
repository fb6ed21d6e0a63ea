import type { Event } from '../events/event.ts';
import type { NewMail } from '../mail/mail.ts';
import type { NewNotification } from '../notifications/notification.ts';
import type { Refused } from '../refusal.ts';

/** The mails and notifications about a change. They are saved in the same transaction as the change. */
export interface News {
  /** Mails, with the work of sending them. */
  readonly letters?: readonly NewMail[];
  readonly notices?: readonly NewNotification[];
}

/** The result of a decision. */
export interface Change<T> extends News {
  readonly after: T;
  /** Describes the change. Without it, nothing was changed and nothing is written. */
  readonly event?: Event;
}

/**
 * Loads the object with this id, calls `decide`, and saves the result with its event and its news in one transaction. No other
 * process can change the object in between. A refusal writes nothing. Returns the stored object, or `undefined` if the
 * id is unknown. `decide` may be called more than once; only the last result counts.
 */
export type ChangeById<Id, T> = <R extends string = never>(
  id: Id,
  decide: (before: T) => Change<T> | Refused<R>,
) => Promise<T | Refused<R> | undefined>;
