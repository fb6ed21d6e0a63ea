import type { Password } from '../accounts/password.ts';

/** `outdated`: the password is right, but its hash has other parameters than new hashes. */
export type PasswordMatch = 'wrong' | 'right' | 'outdated';

/**
 * Hashes passwords slowly. `address` is the network address of the person, as rate limits see it: addresses take turns,
 * and few hashes of one address may wait. Throws `TooMuchAtOnce` if more of one address wait, or if another address
 * needs the place. Throws `Unavailable` if all places are taken and shared evenly.
 */
export interface PasswordHasher {
  /** Returns a text that contains algorithm, parameters and salt. Equal passwords have different hashes. */
  hash(password: Password, address: string): Promise<string>;
  /** Without a hash, the result is `wrong`, and takes as long as with one. */
  verify(hash: string | undefined, password: Password, address: string): Promise<PasswordMatch>;
}
