import type { DeviceDecision, DeviceLogin } from '../accounts/device-login.ts';
import type { Instant } from './clock.ts';

/** The code of a login, as SHA-256: that of the program, or that of the person. */
export type DeviceCode = { readonly digest: string } | { readonly userDigest: string };

/** Programs that wait for an API key. */
export interface DeviceLoginStore {
  /**
   * Adds a login. Also deletes those that ended before `now`. Returns false, and adds nothing, if another login has the
   * same code for the person.
   */
  add(login: DeviceLogin, now: Instant): Promise<boolean>;
  /**
   * Loads the login with this code, calls `decide`, and saves the result with the event in one transaction. Returns the
   * result, or `undefined` if no login has the code. Of several calls at once, each sees what the one before has
   * written. `decide` may be called more than once; only the last result counts.
   */
  change<Result>(code: DeviceCode, decide: (login: DeviceLogin) => DeviceDecision<Result>): Promise<Result | undefined>;
}
