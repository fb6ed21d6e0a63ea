import type { Login, NewLogin } from '../accounts/login.ts';
import type { OneTimeLink } from '../accounts/one-time-link.ts';
import type { Event } from '../events/event.ts';
import type { Refused } from '../refusal.ts';
import type { News } from './change.ts';
import type { Instant } from './clock.ts';

/** The data for a decision about the use of a link. */
export interface LinkUse {
  readonly link: OneTimeLink;
  /** The user whom the link is for. */
  readonly login: Login | undefined;
  /** Whether any user is an administrator. Looked up only for a set-up link. */
  readonly hasAdministrator: boolean;
}

/** Adds a user, or changes the one whom the link is for. */
export type LinkEffect = News & { readonly event: Event } & ({ readonly add: NewLogin } | { readonly change: Login });

/** Tokens that can be used once. */
export interface OneTimeLinks {
  /** Saves the link with its event and its news in one transaction. Also deletes the links that ended before `now`. */
  add(link: OneTimeLink, now: Instant, also?: News & { readonly event?: Event }): Promise<void>;
  find(digest: string): Promise<OneTimeLink | undefined>;
  /**
   * Loads the link with this digest and its user, calls `decide`, saves the effect with its event and its news, and
   * deletes the link, in one transaction. If a link is used several times at once, only one use succeeds. A used set-up
   * link deletes all others. A refusal writes nothing. Returns the stored login, or `undefined` if the digest is unknown. `decide` may be
   * called more than once; only the last result counts.
   *
   * Saves e-mail address, role, password, second factor and generation of a user. Refuses an e-mail address that
   * another user has.
   */
  use<R extends string = never>(
    digest: string,
    decide: (use: LinkUse) => LinkEffect | Refused<R>,
  ): Promise<Login | Refused<R | 'email_taken'> | undefined>;
}
