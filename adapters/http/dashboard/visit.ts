import type { From, SignedIn } from '../../../core/accounts/signed-in.ts';
import type { Context } from '../state.ts';
import type { Frame } from '../ui/frame.ts';

/** One request for a page. */
export interface Visit {
  readonly frame: Frame;
  readonly from: From;
  /** The person who is signed in. */
  readonly me: SignedIn | undefined;
  /** The variable parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The origin of the pictures of products, if it is not this server. */
  readonly images: string | undefined;
  readonly ctx: Context;
}

/** A request of somebody who is signed in. */
export interface SignedInVisit extends Visit {
  readonly me: SignedIn;
}
