import type { Login, NewLogin } from '../accounts/login.ts';
import type { Event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import type { Refused } from '../refusal.ts';
import type { Instant } from './clock.ts';

/** The accounts of the sandbox. No call changes an account without `sandboxUntil`. */
export interface SandboxStore {
  /** Returns how many there are, also of those that have ended and are not deleted yet. */
  count(): Promise<number>;
  /** Adds one, unless there are `most`. Concurrent calls of all processes cannot exceed that together. */
  add(
    login: NewLogin & { readonly sandboxUntil: Instant },
    most: number,
    event: Event,
  ): Promise<Login | Refused<'sandbox_full' | 'email_taken'>>;
  /**
   * Closes those that have ended, or all of them: nobody can use them any more, neither with a session nor with a key.
   * Returns how many it has closed.
   */
  close(now: Instant, which: 'ended' | 'all'): Promise<number>;
  /** Returns those that were closed by this time. */
  closedBy(time: Instant): Promise<UserId[]>;
  /** Returns the storage keys of at most `most` of its files, if it is closed. */
  filesOf(id: UserId, most: number): Promise<string[]>;
  /**
   * Deletes a closed account with all rows that belong to it, in short steps, of which `goOn` can end the next. Several
   * processes may delete the same one. Returns whether it has deleted the account itself. If not, or if it throws because
   * something was added meanwhile, a later call deletes the rest.
   */
  remove(id: UserId, goOn: () => boolean): Promise<boolean>;
}
