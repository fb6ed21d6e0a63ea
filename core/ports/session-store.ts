import type { Login } from '../accounts/login.ts';
import type { Session } from '../accounts/session.ts';
import type { Event } from '../events/event.ts';
import type { SessionId, UserId } from '../id.ts';
import type { News } from './change.ts';
import type { Instant } from './clock.ts';

/** Which sessions of a user to end. */
export type Ending = 'all' | { readonly only: SessionId } | { readonly allBut: SessionId };

/** The browser in which a session starts. */
export interface Arrival {
  /** SHA-256 of its token, in hexadecimal. */
  readonly browser: string;
  /** Browsers without a sign-in since then are forgotten. */
  readonly forgetBefore: Instant;
  /** Written in the same transaction if the user has not signed in with this browser before. */
  readonly ifNew: News;
}

/** The sessions of users. */
export interface SessionStore {
  /**
   * Also remembers the browser of the user, and deletes the sessions of all users that started before `startedBefore` or
   * were last seen before `seenBefore`. If several sessions start in one new browser at once, it is new to only one.
   */
  add(
    session: Omit<Session, 'id'>,
    ended: { readonly startedBefore: Instant; readonly seenBefore: Instant },
    arrival: Arrival,
  ): Promise<Session>;
  /** Whether the user with this e-mail address knows the browser, by a sign-in or by `remember`, since then. */
  knows(email: string, browser: string, since: Instant): Promise<boolean>;
  /** Remembers a browser of the user without a session. */
  remember(userId: UserId, arrival: Omit<Arrival, 'ifNew'>, now: Instant): Promise<void>;
  /** Returns the session with this digest and the login of its user in one look-up. Changes are visible at once. */
  find(digest: string): Promise<{ session: Session; login: Login } | undefined>;
  /** Newest first. */
  list(userId: UserId): Promise<Session[]>;
  /** Sets the time of the last use, unless a later one is stored. */
  touch(id: SessionId, at: Instant): Promise<void>;
  /** Gives the session a new token. Returns false, and changes nothing, if the session has ended or has another token. */
  renew(
    before: Pick<Session, 'id' | 'digest'>,
    after: Pick<Session, 'digest' | 'generation' | 'role' | 'lastSeenAt' | 'confirmedAt'>,
  ): Promise<boolean>;
  /** Returns the number of sessions that it ended. Saves the event if there are any. */
  end(userId: UserId, which: Ending, event: Event): Promise<number>;
}
